import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import compression from 'compression';
import type { Request, Response } from 'express';
import type { Response as TestResponse } from 'supertest';
import { createToken } from '#src/api-keys/token.js';
import { RawConnection, sendRaw } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { openBeside } from '../support/fault-injection.js';
import { startService, type TestService } from '../support/servers/service.js';

describe('Connections', () => {
  let service: TestService;
  let opened: RawConnection[];
  beforeEach(async () => {
    service = await startService({ MAX_CONNECTIONS: '12', MAX_CONCURRENT_REQUESTS: '2' });
    opened = [];
  });
  afterEach(() => {
    for (const connection of opened) connection.end();
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

  it('serves pipelined requests, and returns their responses in order', async () => {
    const connection = await open();
    connection.send(`${post('Rex')}${get('/v1/pets/0')}${get('/healthz')}`);
    const statuses = [];
    for (let responses = 0; responses < 3; responses += 1) statuses.push((await connection.readResponse()).status);
    expect(statuses).to.deep.equal([201, 404, 200]);
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

describe('a graceful shutdown', () => {
  it('serves requests on every connection for a second, and closes each after its response or when idle', async () => {
    const service = await startService();
    const list = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`;
    const open = () => RawConnection.open(service);
    const [used, pipelined, silent, idle, partial] = [
      await open(),
      await open(),
      await open(),
      await open(),
      await open(),
    ];
    for (const connection of [used, pipelined, idle]) {
      connection.send(list);
      expect((await connection.readResponse()).headers).to.include({ connection: 'keep-alive' });
    }
    partial.send(list.slice(0, 20));
    const stopped = service.stop();
    const late = await open();
    for (const connection of [used, late]) {
      connection.send(list);
      expect((await connection.readResponse()).headers).to.include({ connection: 'close' });
    }
    pipelined.send(list.repeat(3));
    const ends = [];
    for (let responses = 0; responses < 3; responses += 1)
      ends.push((await pipelined.readResponse()).headers['connection']);
    expect(ends).to.deep.equal(['keep-alive', 'keep-alive', 'close']);
    expect(service.server.listening).to.equal(true);
    while (service.server.listening) await new Promise(setImmediate);
    partial.send(list.slice(20));
    expect((await partial.readResponse()).status).to.equal(200);
    for (const connection of [silent, idle]) {
      await connection.whenEnded();
      expect(connection.rest).to.equal('');
      connection.end();
    }
    await stopped;
  });
});

describe('a response', () => {
  it('is valid HTTP with the package compression in front', async () => {
    const service = await startService();
    const [app] = service.server.listeners('request') as [RequestListener];
    service.server.removeAllListeners('request').on('request', (incoming: Request, outgoing: Response) => {
      compression({ threshold: 0 })(incoming, outgoing, () => app(incoming, outgoing));
    });
    for (let created = 0; created < 3; created += 1)
      await service.stores.pets.insert({ name: 'Rex', categoryId: created, status: 'sold' });
    for (const encoding of ['gzip', 'identity']) {
      const response = await fetch(`${service.baseUrl}/pets`, {
        headers: { Authorization: `Bearer ${service.token}`, 'Accept-Encoding': encoding },
      });
      expect(response.headers.get('content-encoding')).to.equal(encoding === 'gzip' ? 'gzip' : null);
      expect(await response.json()).to.have.lengthOf(3);
    }
  });
});

function connectionsOf({ server }: TestService): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

function limitsOf(response: TestResponse): string[] {
  return ['x-ratelimit-limit', 'ratelimit-policy'].map((name) => response.get(name) ?? '');
}
