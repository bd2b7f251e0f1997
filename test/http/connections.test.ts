import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { createToken } from '#src/api-keys/token.js';
import { listen } from '#src/http/server.js';
import { RawConnection, sendRaw } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { apiError, responseOf } from '../support/contract/response.js';
import { openBeside } from '../support/fault-injection.js';
import { issueKey } from '../support/issue-key.js';
import { rexText } from '../support/pets.js';
import { useNewService } from '../support/servers/service.js';
import { creation, get } from './raw-requests.js';

/** Sends bytes, and resolves with the statuses of as many responses. */
async function statusesOf(connection: RawConnection, bytes: string, count: number): Promise<number[]> {
  connection.send(bytes);
  const statuses = [];
  while (statuses.length < count) statuses.push((await connection.readResponse()).status);
  return statuses;
}

describe('connections', () => {
  const service = useNewService({ MAX_CONNECTIONS: '12' });
  const open = () => RawConnection.open(service);

  it('may have pipelined requests, whose responses are in order', async () => {
    const bytes = creation(service, rexText) + get(service, '/v1/pets/0') + get(service, '/healthz');
    expect(await statusesOf(await open(), bytes, 3)).to.deep.equal([201, 404, 200]);
  });

  it('are closed beyond the maximum at once, and accepted when others are closed', async () => {
    const many = await Promise.all(Array.from({ length: 12 }, open));
    const { address, port } = service.server.address() as AddressInfo;
    const rejected = connect(port, address).on('error', () => undefined);
    await once(rejected, 'close');
    for (const connection of many.slice(0, 6))
      expect(await statusesOf(connection, get(service), 1)).to.deep.equal([200]);
    for (const connection of many.slice(6)) connection.end();
    const count = () =>
      new Promise<number>((resolve) => service.server.getConnections((_error, open) => resolve(open)));
    while ((await count()) > 6) await new Promise(setImmediate);
    expect((await sendRaw(service, get(service))).status).to.equal(200);
  });
});

describe('the maximum number of concurrent requests', () => {
  const service = useNewService({ MAX_CONCURRENT_REQUESTS: '2' });
  const busy = apiError(503, 'server_busy', 'The server is overloaded. Retry after the time in Retry-After.', {
    'retry-after': '1',
  });
  let lock: Database.Database;
  let waiting: RawConnection[];
  let token: string;
  /** Sends as many creations as the maximum, which wait until the lock is released. */
  beforeEach(async () => {
    ({ token } = await issueKey(service, 'pro'));
    lock = openBeside(service);
    lock.exec('BEGIN IMMEDIATE');
    waiting = [await RawConnection.open(service), await RawConnection.open(service)];
    for (const connection of waiting) connection.send(creation(service, rexText));
    while ((await request(service).get('/v1/pets')).status === 200);
  });
  const release = async () => {
    lock.close();
    for (const connection of waiting) expect((await connection.readResponse()).status).to.equal(201);
  };

  it('returns 503 with Retry-After and the limits of the key or the address, and does not count requests', async () => {
    for (const [sent, policy] of [
      [token, '"minute";q=300;w=60, "day";q=10000;w=86400'],
      [token, '"minute";q=300;w=60, "day";q=10000;w=86400'],
      [null, '"minute";q=60;w=60'],
      [createToken('pets_live_'), '"minute";q=60;w=60'],
    ] as const) {
      const response = await request(service, sent).get('/v1/pets');
      expect(responseOf(response)).to.deep.equal(busy);
      const limit = sent === token ? '300' : '60';
      const limits = { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': limit, 'ratelimit-policy': policy };
      expect(response.headers).to.include(limits);
    }
    await release();
    await request(service, token).get('/v1/pets').expect(200).expect('X-RateLimit-Remaining', '299');
  });

  it('does not include requests whose bodies arrive slowly', async () => {
    await release();
    const slow = await Promise.all(Array.from({ length: 3 }, () => RawConnection.open(service)));
    for (const connection of slow) {
      connection.send(creation(service, rexText).slice(0, -1));
      await request(service).get('/v1/pets').expect(200);
    }
    for (const connection of slow) expect(await statusesOf(connection, '}', 1)).to.deep.equal([201]);
  });
});

describe('a graceful shutdown', () => {
  const service = useNewService();

  it('serves requests on every connection for a second, and closes each after its response or when idle', async () => {
    const open = () => RawConnection.open(service);
    const endOf = async (connection: RawConnection) => (await connection.readResponse()).headers['connection'];
    const list = get(service);
    const [used, pipelined, idle] = [await open(), await open(), await open()];
    const [silent, partial] = [await open(), await open()];
    for (const connection of [used, pipelined, idle]) {
      connection.send(list);
      expect(await endOf(connection)).to.equal('keep-alive');
    }
    partial.send(list.slice(0, 20));
    const stopped = service.stop();
    for (const connection of [used, await open()]) {
      connection.send(list);
      expect(await endOf(connection)).to.equal('close');
    }
    pipelined.send(list.repeat(3));
    for (const end of ['keep-alive', 'keep-alive', 'close']) expect(await endOf(pipelined)).to.equal(end);
    expect(service.server.listening).to.equal(true);
    while (service.server.listening) await new Promise(setImmediate);
    expect(await statusesOf(partial, list.slice(20), 1)).to.deep.equal([200]);
    for (const connection of [silent, idle]) {
      await connection.whenEnded();
      expect(connection.rest).to.equal('');
      connection.end();
    }
    await stopped;
  });
});

describe('listen', () => {
  it('reports each error of the server while it listens, and names the settings of a port that is in use', async () => {
    const reported: unknown[] = [];
    const report = (error: unknown) => reported.push(error);
    const server = createServer();
    const options = { host: '127.0.0.1', settings: 'METRICS_HOST and METRICS_PORT', report };
    const { port } = new URL(await listen(server, { ...options, port: 0 }));
    const errors = [new Error('accept ENOBUFS'), new Error('accept EPERM')];
    for (const error of errors) server.emit('error', error);
    const [result] = await Promise.allSettled([listen(createServer(), { ...options, port: Number(port) })]);
    const reason = result.status === 'rejected' && String(result.reason);
    expect(reason).to.match(/^StartError: Cannot listen on .* EADDRINUSE.* See METRICS_HOST and METRICS_PORT\.$/);
    server.close();
    expect(reported).to.deep.equal(errors);
  });
});
