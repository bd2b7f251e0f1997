import { expect } from 'chai';
import { answerOf, refusal } from '../support/answer.js';
import { exchange, RawConnection } from '../support/raw-exchange.js';
import { request } from '../support/request.js';
import { startService, type TestService } from '../support/service.js';

const rex = '{"name":"Rex","categoryId":7}';
const malformed = refusal(400, 'malformed_http', 'The request is not valid HTTP/1.1.');

describe('bytes that are no request', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.close());

  it('are answered with the Error body and the limits of the address, and counted', async () => {
    const first = await exchange(service, 'nonsense\r\n\r\n');
    expect(answerOf(first)).to.deep.equal(malformed);
    expect(first.headers).to.include({
      connection: 'close',
      'x-ratelimit-remaining': '59',
      'ratelimit-policy': '"minute";q=60;w=60',
    });
    const second = await exchange(service, 'GET /v1/pets HTTP/1.1\r\nHost pets.example\r\n\r\n');
    expect(second.headers).to.include({ 'x-ratelimit-remaining': '58' });
  });

  it('keep their status when the address has no requests left', async () => {
    for (let sent = 0; sent < 60; sent += 1) await request(service, null).get('/v1/pets');
    const { status, headers } = await exchange(service, 'nonsense\r\n\r\n');
    expect(status).to.equal(400);
    expect(headers).to.include({ 'x-ratelimit-remaining': '0' });
  });

  it('after a request on the same connection leave that its own answer', async () => {
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\n`;
    const connection = await RawConnection.open(service);
    connection.send(`${head}Content-Length: ${String(rex.length)}\r\n\r\n${rex}nonsense\r\n\r\n`);
    const answer = await connection.answer();
    expect({ status: answer.status, body: JSON.parse(answer.text) as unknown }).to.deep.equal({
      status: 201,
      body: { id: 1, name: 'Rex', categoryId: 7, status: 'available' },
    });
    expect(answerOf(await connection.answer())).to.deep.equal(malformed);
    connection.end();
  });
});
