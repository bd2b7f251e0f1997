import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { RawConnection, sendRaw } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { apiError, responseOf } from '../support/contract/response.js';
import { openBeside } from '../support/fault-injection.js';
import { startService, type TestService, useNewService } from '../support/servers/service.js';

const rex = '{"name":"Rex","categoryId":7}';
const malformed = apiError(
  400,
  'malformed_http',
  'The request is not valid HTTP/1.1: it does not start with a known method and a space.',
);

/** The request line and the headers of a creation, without those of its body. */
const creationHead = ({ token }: TestService) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;

describe('malformed bytes', () => {
  const service = useNewService();

  it('receive an Error body with the limits of the client address, and are counted', async () => {
    const first = await sendRaw(service, 'nonsense\r\n\r\n');
    expect(responseOf(first)).to.deep.equal(malformed);
    expect(first.headers).to.include({
      connection: 'close',
      'x-ratelimit-remaining': '59',
      'ratelimit-policy': '"minute";q=60;w=60',
    });
    const second = await sendRaw(service, 'GET /v1/pets HTTP/1.1\r\nHost pets.example\r\n\r\n');
    expect(second.headers).to.include({ 'x-ratelimit-remaining': '58' });
  });

  it('are counted once if they arrive in several pieces', async () => {
    const connection = await RawConnection.open(service);
    for (const character of 'nonsense\r\n\r\n') {
      connection.send(character);
      await new Promise(setImmediate);
    }
    expect((await connection.readResponse()).headers).to.include({ 'x-ratelimit-remaining': '59' });
    await connection.whenEnded();
    expect(connection.rest).to.equal('');
    expect((await sendRaw(service, 'nonsense\r\n\r\n')).headers).to.include({ 'x-ratelimit-remaining': '58' });
  });

  it('receive a response that also reaches a client that keeps sending', async () => {
    const connection = await RawConnection.open(service);
    connection.send('nonsense\r\n\r\n');
    expect(responseOf(await connection.readResponse())).to.deep.equal(malformed);
    await connection.whenEnded();
    connection.send(Buffer.alloc(500_000, 'x'));
    connection.endSending();
    await connection.whenClosed();
    expect(connection.isReset).to.equal(false);
  });

  it('receive 400 when the client address has no requests left', async () => {
    for (let sent = 0; sent < 60; sent += 1) await request(service, null).get('/v1/pets');
    const { status, headers } = await sendRaw(service, 'nonsense\r\n\r\n');
    expect(status).to.equal(400);
    expect(headers).to.include({ 'x-ratelimit-remaining': '0' });
  });

  it('receive their response after that of the request before them', async () => {
    const head = creationHead(service);
    const connection = await RawConnection.open(service);
    connection.send(`${head}Content-Length: ${String(rex.length)}\r\n\r\n${rex}nonsense\r\n\r\n`);
    const response = await connection.readResponse();
    expect({ status: response.status, body: JSON.parse(response.text) as unknown }).to.deep.equal({
      status: 201,
      body: { id: 1, name: 'Rex', categoryId: 7, status: 'available' },
    });
    expect(responseOf(await connection.readResponse())).to.deep.equal(malformed);
    connection.end();
  });

  it('receive their response after those of several requests before them, in order', async () => {
    const get = (query: string) =>
      `GET /v1/pets?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`;
    const connection = await RawConnection.open(service);
    connection.send(`${get('limit=1')}${get('limit=0')}${get('limit=2')}nonsense\r\n\r\n`);
    const statuses = [];
    for (let responses = 0; responses < 4; responses += 1) statuses.push((await connection.readResponse()).status);
    expect(statuses).to.deep.equal([200, 400, 200, 400]);
    await connection.whenEnded();
  });

  it('in the body of a request reject that request, with its X-Request-Id and without effect', async () => {
    const head = creationHead(service);
    const response = await sendRaw(
      service,
      `${head}X-Request-Id: order-4711\r\nTransfer-Encoding: chunked\r\n\r\n1d\r\n${rex}\r\nnonsense\r\n`,
    );
    expect(responseOf(response)).to.deep.equal(
      apiError(
        400,
        'malformed_http',
        'The request is not valid HTTP/1.1: the size of a chunk is not a hexadecimal number.',
      ),
    );
    expect(response.headers).to.include({
      'x-request-id': 'order-4711',
      'x-ratelimit-remaining': '59',
      connection: 'close',
    });
    await request(service).get('/v1/pets').expect(200, []);
  });

  it('receive no separate response after the response to their request', async () => {
    const connection = await RawConnection.open(service);
    connection.send('POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"name"');
    expect((await connection.readResponse()).status).to.equal(401);
    connection.endSending();
    await connection.whenClosed();
    expect(connection.rest).to.equal('');
  });

  it('of an incomplete request receive one response', async () => {
    const head = creationHead(service);
    const cases = [
      ['Content-Length: 100', 400],
      ['Content-Length: 100000', 413],
    ] as const;
    for (const [length, status] of cases) {
      const connection = await RawConnection.open(service);
      connection.send(`${head}${length}\r\n\r\n{"name"`);
      connection.endSending();
      expect((await connection.readResponse()).status).to.equal(status);
      await connection.whenEnded();
      expect(connection.rest).to.equal('');
    }
  });
});

describe('a client error behind requests in progress', () => {
  const head = (service: TestService, ...lines: readonly string[]) =>
    [
      'POST /v1/pets HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${service.token}`,
      'Content-Type: application/json',
      ...lines,
      '',
      '',
    ].join('\r\n');
  const creation = (service: TestService) => `${head(service, `Content-Length: ${String(rex.length)}`)}${rex}`;
  const cases: readonly (readonly [what: string, status: number, bytes: (service: TestService) => string])[] = [
    ['malformed bytes', 400, () => 'nonsense\r\n\r\n'],
    ['a request without Host', 400, () => 'GET /v1/pets HTTP/1.1\r\n\r\n'],
    ['a malformed body', 400, (service) => `${head(service, 'Transfer-Encoding: chunked')}nonsense\r\n`],
    ['CONNECT', 501, () => 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unsupported version', 400, () => 'GET / HTTP/2.0\r\nHost: x\r\n\r\n'],
  ];
  let service: TestService;
  let lock: Database.Database;
  let connection: RawConnection;
  beforeEach(async () => {
    service = await startService();
    connection = await RawConnection.open(service);
    lock = openBeside(service);
    lock.exec('BEGIN IMMEDIATE');
  });
  afterEach(() => {
    connection.end();
    lock.close();
  });

  for (const [what, status, bytes] of cases) {
    it(`receives its response after theirs, and closes the connection: ${what}`, async () => {
      connection.send(`${creation(service)}${creation(service)}${bytes(service)}${creation(service)}`);
      // A response to a read shows that what was sent before has arrived.
      await request(service).get('/v1/pets').expect(200, []);
      lock.exec('ROLLBACK');
      const statuses = [];
      for (let responses = 0; responses < 3; responses += 1) statuses.push((await connection.readResponse()).status);
      expect(statuses).to.deep.equal([201, 201, status]);
      await connection.whenEnded();
      expect(connection.rest).to.equal('');
      expect((await request(service).get('/v1/pets')).body).to.have.lengthOf(2);
    });

    it(`receives no response if the client has disconnected: ${what}`, async () => {
      connection.send(`${creation(service)}${bytes(service)}`);
      await request(service).get('/v1/pets').expect(200, []);
      connection.end();
      lock.exec('ROLLBACK');
      await request(service).get('/v1/pets').expect(200);
      expect(service.reported).to.deep.equal([]);
    });
  }

  it('does not keep a connection without activity open', async () => {
    service.server.setTimeout(50);
    const other = await RawConnection.open(service);
    other.send(`${creation(service)}CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await other.whenEnded();
    expect(other.rest).to.equal('');
    other.end();
    lock.exec('ROLLBACK');
  });
});

describe('a request that fails a protocol check', () => {
  it('is counted against the address that a trusted proxy reports', async () => {
    const service = await startService({ TRUST_PROXY: '1' });
    const send = (address: string) =>
      sendRaw(service, `GET /v1/pets HTTP/1.1\r\nX-Forwarded-For: ${address}\r\nX-Request-Id: order-4711\r\n\r\n`);
    const [first, second, other] = [await send('192.0.2.1'), await send('192.0.2.1'), await send('192.0.2.2')];
    for (const response of [first, second, other]) {
      expect(responseOf(response)).to.deep.equal(
        apiError(400, 'malformed_http', 'The request is not valid HTTP/1.1: the header Host is missing.'),
      );
      expect(response.headers).to.include({ 'x-request-id': 'order-4711', connection: 'close' });
    }
    expect([first, second, other].map(({ headers }) => headers['x-ratelimit-remaining'])).to.deep.equal([
      '59',
      '58',
      '59',
    ]);
  });
});

describe('a client that has closed its side after its request', () => {
  it('receives the response', async () => {
    const service = await startService();
    const connection = await RawConnection.open(service);
    const head = creationHead(service);
    connection.send(`${head}Content-Length: ${String(rex.length)}\r\n\r\n${rex}`);
    connection.endSending();
    expect((await connection.readResponse()).status).to.equal(201);
    await connection.whenEnded();
  });
});
