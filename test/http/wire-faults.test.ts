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

  it('after several requests leave each of them its own answer, in their order', async () => {
    const get = (query: string) => `GET /v1/pets?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`;
    const connection = await RawConnection.open(service);
    connection.send(`${get('limit=1')}${get('limit=0')}${get('limit=2')}nonsense\r\n\r\n`);
    const statuses = [];
    for (let answers = 0; answers < 4; answers += 1) statuses.push((await connection.answer()).status);
    expect(statuses).to.deep.equal([200, 400, 200, 400]);
    await connection.closed();
  });

  it('of a request that is cut short get one answer', async () => {
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\n`;
    const cases = [
      ['Content-Length: 100', 400],
      ['Content-Length: 100000', 413],
    ] as const;
    for (const [length, status] of cases) {
      const connection = await RawConnection.open(service);
      connection.send(`${head}${length}\r\n\r\n{"name"`);
      connection.finish();
      expect((await connection.answer()).status).to.equal(status);
      await connection.closed();
      expect(connection.rest).to.equal('');
    }
  });
});

describe('a client that closes its side after its request', () => {
  it('still gets the answer', async () => {
    const service = await startService();
    const connection = await RawConnection.open(service);
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\n`;
    connection.send(`${head}Content-Length: ${String(rex.length)}\r\n\r\n${rex}`);
    connection.finish();
    expect((await connection.answer()).status).to.equal(201);
    await connection.closed();
    await service.close();
  });
});
