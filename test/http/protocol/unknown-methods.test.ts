import { METHODS } from 'node:http';
import { expect } from 'chai';
import { RawConnection, sendRaw } from '../../support/clients/raw-connection.js';
import { allowedMethods, unknownPath } from '../../support/contract/contract-requests.js';
import { sendIncomplete } from '../../support/contract/example-requests.js';
import { apiError, responseOf } from '../../support/contract/response.js';
import { startService, type TestService } from '../../support/servers/service.js';

const malformed = apiError(
  400,
  'malformed_http',
  'The request is not valid HTTP/1.1: it does not start with a method and a space.',
);

describe('a request with an unknown method', () => {
  const unknown = apiError(
    501,
    'not_implemented',
    'The request method is not supported. OPTIONS returns the methods of a path.',
  );
  const rest = '/v1/pets HTTP/1.1\r\nHost: pets.example\r\n\r\n';
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  const send = async (...pieces: readonly string[]) => {
    const connection = await RawConnection.open(service);
    for (const piece of pieces) {
      connection.send(piece);
      await new Promise(setImmediate);
    }
    const response = await connection.readResponse();
    await connection.whenEnded();
    expect(connection.rest).to.equal('');
    connection.end();
    return response;
  };

  for (const method of ['BREW', 'GETX', 'get', 'Get', 'G', 'DESCRIBE', "!#$%&'*+-.^_`|~09", 'B'.repeat(5000)]) {
    it(`returns 501, and closes the connection: ${method.slice(0, 20)}`, async () => {
      const response = await send(`${method} ${rest}${method} ${rest}`);
      expect(responseOf(response)).to.deep.equal(unknown);
      expect(response.headers).to.include({ connection: 'close', 'ratelimit-policy': '"minute";q=60;w=60' });
    });
  }

  it('returns 501 if it arrives in several pieces, and is counted once against the client address', async () => {
    const one = await send(...Array.from(`BREW ${rest}`));
    expect(responseOf(one)).to.deep.equal(unknown);
    const other = await send('BREW /v1', '/pets HTTP/1.1\r', '\nHost: pets.example\r\n\r\n');
    expect(responseOf(other)).to.deep.equal(unknown);
    const [before, after] = [one, other].map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(after).to.equal(Number(before) - 1);
  });

  it('returns 501 on every path', async () => {
    for (const path of ['/', '/docs', '/healthz', unknownPath, 'http://pets.example/v1/pets', '*']) {
      expect(responseOf(await send(`BREW ${path} HTTP/1.1\r\nHost: pets.example\r\n\r\n`))).to.deep.equal(unknown);
    }
  });

  it('does not return 501 but 405 if the method is known and the path has no such operation', async () => {
    const allowed = allowedMethods('/pets').split(', ');
    for (const method of METHODS.filter((known) => known !== 'CONNECT' && !allowed.includes(known))) {
      expect((await sendRaw(service, `${method} ${rest}`)).status, method).to.equal(405);
    }
  });

  for (const line of [
    'BREW',
    'BREW /v1/pets',
    'BREW  /v1/pets HTTP/1.1',
    'BR{W /v1/pets HTTP/1.1',
    'BREW /v1/pets HTTP/2.0',
    ' BREW / HTTP/1.1',
  ]) {
    it(`returns 400 if the request line is malformed: ${JSON.stringify(line)}`, async () => {
      expect(responseOf(await send(`${line}\r\nHost: pets.example\r\n\r\n`))).to.deep.equal(malformed);
      expect((await send(...Array.from(`${line}\r\n\r\n`))).status).to.equal(400);
    });
  }

  it('returns 408 if the request line does not arrive in time', async () => {
    expect((await sendIncomplete('BREW /v1/pets')).status).to.equal(408);
  });

  it('returns 400 if the client closes its side within the request line', async () => {
    const connection = await RawConnection.open(service);
    connection.send('BREW /v1/pets');
    connection.endSending();
    expect((await connection.readResponse()).status).to.equal(400);
    await connection.whenClosed();
  });
});
