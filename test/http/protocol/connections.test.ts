import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import type { Response } from 'supertest';
import { createToken } from '#src/api-keys/token.js';
import { RawConnection, sendRaw } from '../../support/clients/raw-connection.js';
import { request } from '../../support/clients/request.js';
import { openBeside } from '../../support/fault-injection.js';
import { startService, type TestService } from '../../support/servers/service.js';

describe('Connections', () => {
  let service: TestService;
  let opened: RawConnection[];
  beforeEach(async () => {
    service = await startService({ MAX_CONNECTIONS: '12', MAX_CONCURRENT_REQUESTS: '2' });
    opened = [];
  });
  afterEach(async () => {
    for (const connection of opened) connection.end();
    await service.close();
  });

  const open = async () => {
    const connection = await RawConnection.open(service);
    opened.push(connection);
    return connection;
  };
  const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`;
  const post = (name: string) => {
    const body = JSON.stringify({ name, categoryId: 7 });
    const head =
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: ` +
      'application/json';
    return `${head}\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
  };

  it('serves pipelined requests one after the other, so that a read sees the write before it', async () => {
    const connection = await open();
    connection.send(`${post('Rex')}${get('/v1/pets/1')}${post('Mia')}${get('/v1/pets/2')}`);
    const names = [];
    for (let responses = 0; responses < 4; responses += 1) {
      names.push((JSON.parse((await connection.readResponse()).text) as { name: string }).name);
    }
    expect(names).to.deep.equal(['Rex', 'Rex', 'Mia', 'Mia']);
  });

  it('serves a request on another connection before pipelined requests', async () => {
    const [greedy, other] = [await open(), await open()];
    greedy.send(get('/v1/pets').repeat(100));
    other.send(get('/v1/pets'));
    await other.readResponse();
    let completed = 0;
    while (greedy.rest.includes('HTTP/1.1 200')) {
      await greedy.readResponse();
      completed += 1;
    }
    expect(completed).to.be.below(50);
    while (completed < 100) {
      expect((await greedy.readResponse()).status).to.equal(200);
      completed += 1;
    }
  });

  it('closes a connection after 101 pipelined requests, with Connection: close in the last response', async () => {
    const connection = await open();
    connection.send(get('/v1/pets').repeat(500));
    for (let responses = 1; responses <= 101; responses += 1) {
      const { status, headers } = await connection.readResponse();
      expect({ status, connection: headers['connection'] }).to.deep.equal({
        status: 200,
        connection: responses === 101 ? 'close' : 'keep-alive',
      });
    }
    await connection.whenEnded();
    expect(connection.rest).to.equal('');
  });

  it('keeps a connection open on which many requests with bodies are sent in batches', async () => {
    const connection = await open();
    for (let portion = 0; portion < 5; portion += 1) {
      connection.send(`${get('/v1/pets')}${post('Rex')}`.repeat(40));
      for (let responses = 0; responses < 80; responses += 1) {
        expect((await connection.readResponse()).status).to.equal(responses % 2 === 0 ? 200 : 201);
      }
    }
  });

  it('closes connections beyond the maximum at once, and accepts further ones when others are closed', async () => {
    const many = await Promise.all(Array.from({ length: 12 }, open));
    const { address, port } = service.server.address() as AddressInfo;
    const rejected = connect(port, address).on('error', () => undefined);
    await once(rejected, 'close');
    const [first] = many;
    first?.send(get('/v1/pets'));
    expect((await first?.readResponse())?.status).to.equal(200);
    const closed = once(service.server, 'connection');
    for (const connection of many.splice(0, 6)) connection.end();
    while ((await connectionsOf(service)) > 6) await new Promise(setImmediate);
    expect((await sendRaw(service, get('/v1/pets'))).status).to.equal(200);
    await closed;
  });

  it('returns 503 with Retry-After while the maximum number of requests waits for the store', async () => {
    const lock = openBeside(service);
    lock.exec('BEGIN IMMEDIATE');
    const waiting = [await open(), await open()];
    for (const connection of waiting) connection.send(post('Rex'));
    let response = await request(service).get('/v1/pets');
    while (response.status === 200) response = await request(service).get('/v1/pets');
    expect({
      status: response.status,
      retryAfter: response.get('retry-after'),
      body: response.body as unknown,
    }).to.deep.equal({
      status: 503,
      retryAfter: '1',
      body: {
        code: 'server_busy',
        message: 'The server is overloaded. Retry after the time in Retry-After.',
        status: 503,
      },
    });
    expect(limitsOf(response)).to.deep.equal(['1000000', '"minute";q=1000000;w=60, "day";q=1000000;w=86400']);
    lock.exec('COMMIT');
    lock.close();
    for (const connection of waiting) expect((await connection.readResponse()).status).to.equal(201);
    await request(service).get('/v1/pets').expect(200);
  });

  it('sends the limits of the key or the address with such a 503, and does not count the request', async () => {
    const { token } = await service.apiKeyService.create({
      name: 'pro',
      plan: 'pro',
      limits: undefined,
      expiresAt: undefined,
    });
    const lock = openBeside(service);
    lock.exec('BEGIN IMMEDIATE');
    const waiting = [await open(), await open()];
    for (const connection of waiting) connection.send(post('Rex'));
    while ((await request(service).get('/v1/pets')).status === 200);
    const ofKey = ['300', '"minute";q=300;w=60, "day";q=10000;w=86400'];
    for (let sent = 0; sent < 3; sent += 1) {
      const response = await request(service, token).get('/v1/pets').expect(503).expect('X-RateLimit-Remaining', '300');
      expect(limitsOf(response)).to.deep.equal(ofKey);
    }
    for (const invalid of [null, createToken('pets_live_')]) {
      const response = await request(service, invalid).get('/v1/pets').expect(503);
      expect(limitsOf(response)).to.deep.equal(['60', '"minute";q=60;w=60']);
    }
    lock.exec('COMMIT');
    lock.close();
    for (const connection of waiting) expect((await connection.readResponse()).status).to.equal(201);
    await request(service, token).get('/v1/pets').expect(200).expect('X-RateLimit-Remaining', '299');
  });

  it('serves other requests while request bodies arrive slowly', async () => {
    const slow = [await open(), await open(), await open()];
    for (const connection of slow) {
      connection.send(post('Rex').slice(0, -1));
      await request(service).get('/v1/pets').expect(200);
    }
    for (const connection of slow) {
      connection.send('}');
      expect((await connection.readResponse()).status).to.equal(201);
    }
  });
});

describe('Connections.drain', () => {
  it('serves a request on an idle connection, and closes connections on which nothing was received', async () => {
    const service = await startService();
    const head = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`;
    const [idle, silent, unused] = [
      await RawConnection.open(service),
      await RawConnection.open(service),
      await RawConnection.open(service),
    ];
    for (const connection of [idle, unused]) {
      connection.send(head);
      expect((await connection.readResponse()).headers).to.include({ connection: 'keep-alive' });
    }
    const closed = service.close();
    while (service.server.listening) await new Promise(setImmediate);
    idle.send(head);
    expect((await idle.readResponse()).headers).to.include({ connection: 'close' });
    for (const connection of [silent, unused]) {
      await connection.whenEnded();
      expect(connection.rest).to.equal('');
      connection.end();
    }
    idle.end();
    await closed;
  });
});

function connectionsOf({ server }: TestService): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

function limitsOf(response: Response): string[] {
  return ['x-ratelimit-limit', 'ratelimit-policy'].map((name) => response.get(name) ?? '');
}
