import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { createToken } from '#src/api-keys/token.js';
import { listen } from '#src/http/server.js';
import { RawConnection } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { apiError, responseOf } from '../support/contract/response.js';
import { openBeside } from '../support/fault-injection.js';
import { issueKey } from '../support/issue-key.js';
import { rexText } from '../support/pets.js';
import { startService, type TestService, useNewService } from '../support/servers/service.js';
import { creation, get, message } from './raw-requests.js';

/** Sends bytes, and resolves with the status of the next response. */
async function statusOf(connection: RawConnection, bytes: string): Promise<number> {
  connection.send(bytes);
  return (await connection.readResponse()).status;
}

describe('connections', () => {
  const service = useNewService({ MAX_CONNECTIONS: '12' });
  const open = () => RawConnection.open(service);

  it('are closed beyond the maximum at once, and accepted when others are closed', async () => {
    const many = await Promise.all(Array.from({ length: 12 }, open));
    const { address, port } = service.server.address() as AddressInfo;
    const rejected = connect(port, address).on('error', () => undefined);
    await once(rejected, 'close');
    expect(await statusOf(many[0] as RawConnection, get(service))).to.equal(200);
    for (const connection of many) connection.end();
    let status: number | undefined;
    while (status === undefined) status = await statusOf(await open(), get(service)).catch(() => undefined);
    expect(status).to.equal(200);
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
    for (const connection of slow) expect(await statusOf(connection, '}')).to.equal(201);
  });
});

describe('a graceful shutdown', () => {
  const service = useNewService();

  it('serves requests on every connection for a second, and closes each after its response or when idle', async () => {
    const open = () => RawConnection.open(service);
    const endOf = async (connection: RawConnection) => (await connection.readResponse()).headers['connection'];
    const list = get(service);
    const [used, pipelined, idle, silent] = [await open(), await open(), await open(), await open()];
    const partial = await open();
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
    expect(await statusOf(partial, list.slice(20))).to.equal(200);
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

const kept = '200 keep-alive';
const withoutKey = (...lines: readonly string[]) => message(['GET /v1/pets HTTP/1.1', 'Host: x', ...lines]);

describe('the connections of one client address', () => {
  let service: TestService;
  let opened: RawConnection[];
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    opened = [];
    service = await startService({ MAX_CONNECTIONS_PER_ADDRESS: '2', ...env });
  };
  const open = async (localAddress = '127.0.0.1') => {
    const connection = await RawConnection.openTo(service.server.address() as AddressInfo, localAddress);
    opened.push(connection);
    return connection;
  };
  /** The status of the response to a request, and whether the connection is kept; `undefined` without a response. */
  const sendRequest = async (connection: RawConnection, request: string) => {
    connection.send(request);
    const response = await connection.readResponse().catch(() => undefined);
    return response && `${String(response.status)} ${response.headers['connection'] ?? ''}`;
  };
  /** The results of requests on as many new connections. */
  const results = async (count: number, localAddress?: string) => {
    const all = [];
    while (all.length < count) all.push(await sendRequest(await open(localAddress), get(service)));
    return all;
  };

  it('are closed beyond the limit, not those of other addresses, and the first time, a warning is logged', async () => {
    await start();
    expect(await results(4)).to.deep.equal([kept, kept, undefined, undefined]);
    expect(await results(1, '127.0.0.2')).to.deep.equal([kept]);
    expect(await sendRequest(opened[0] as RawConnection, get(service))).to.equal(kept);
    expect(service.log.lines.filter(({ level }) => level === 'warn')).to.have.lengthOf(1);
    expect(JSON.stringify(service.log.lines)).to.match(/MAX_CONNECTIONS_PER_ADDRESS.*TRUST_PROXY/);
    // Another connection can be opened when one has been closed.
    opened[0]?.end();
    let result: string | undefined;
    while (result === undefined) [result] = await results(1);
    expect(result).to.equal(kept);
  });

  for (const env of [{ MAX_CONNECTIONS_PER_ADDRESS: '0' }, { TRUST_PROXY: '127.0.0.1' }]) {
    it(`are not limited with ${JSON.stringify(env)}`, async () => {
      await start(env);
      expect(await results(5)).to.deep.equal([kept, kept, kept, kept, kept]);
    });
  }

  /** The result of the first request that is rejected by a rate limit. */
  const rejection = async (request: string) => {
    const connection = await open();
    let result = await sendRequest(connection, request);
    while (result === '401 keep-alive' || result === kept) result = await sendRequest(connection, request);
    return result;
  };

  it('are closed after a 429 to a request without a valid key, unless a trusted proxy has sent it', async () => {
    await start();
    expect(await rejection(withoutKey())).to.equal('429 close');
    expect(await rejection(get(await issueKey(service, [1, 1])))).to.equal('429 keep-alive');
    await start({ TRUST_PROXY: '127.0.0.1' });
    expect(await rejection(withoutKey('X-Forwarded-For: 192.0.2.1'))).to.equal('429 keep-alive');
  });
});
