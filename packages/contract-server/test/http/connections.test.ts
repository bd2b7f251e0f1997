import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import {
  chunked,
  creation,
  creationHead,
  get,
  host,
  json,
  message,
  toy,
} from '@contract-server/test-support/clients/raw-requests.js';
import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { whileLocked } from '@contract-server/test-support/fault-injection.js';
import { issueKey } from '@contract-server/test-support/issue-key.js';
import { describeWithRedis, RedisServer } from '@contract-server/test-support/redis/redis-server.js';
import { request, startToys, type TestToys, useNewToys } from '@contract-server/test-support/servers/toys.js';
import { expect } from 'chai';
import { createToken } from '#src/api-keys/token.js';

const kept = '200 keep-alive';

/** Sends bytes. Resolves with the status and `Connection` of the response; `undefined` if there is none. */
async function resultOf(connection: RawConnection, bytes: string): Promise<string | undefined> {
  connection.send(bytes);
  const response = await connection.readResponse().catch(() => undefined);
  return response && `${String(response.status)} ${response.headers['connection'] ?? ''}`;
}

describe('the maximum number of concurrent requests', () => {
  const service = useNewToys({ MAX_CONCURRENT_REQUESTS: '2' });
  const overloaded = 'The server is overloaded. Retry after the time in Retry-After.';
  const busy = apiError(503, 'server_busy', overloaded, { 'retry-after': '1' });

  it('returns 503 with Retry-After and the limits of the key or the address, and does not count requests', async () => {
    const { token } = await issueKey(service, 'pro');
    const [ofKey, ofAddress] = ['"minute";q=300;w=60, "day";q=10000;w=86400', '"minute";q=60;w=60'];
    const waiting = [await RawConnection.open(service), await RawConnection.open(service)];
    await whileLocked(service, async () => {
      for (const connection of waiting) connection.send(creation(service, toy));
      while ((await request(service).get('/v1/toys')).status === 200);
      for (const [sent, limit, policy] of [
        [token, '300', ofKey],
        [token, '300', ofKey],
        [null, '60', ofAddress],
        [createToken('toys_live_'), '60', ofAddress],
      ] as const) {
        const response = await request(service, sent).get('/v1/toys');
        expect(responseOf(response)).to.deep.equal(busy);
        expect(response.headers).to.include({ 'x-ratelimit-remaining': limit, 'ratelimit-policy': policy });
      }
    });
    for (const connection of waiting) expect(await resultOf(connection, '')).to.equal('201 keep-alive');
    await request(service, token).get('/v1/toys').expect(200).expect('X-RateLimit-Remaining', '299');
  });

  it('does not include requests whose bodies arrive slowly', async () => {
    const slow = await Promise.all(Array.from({ length: 3 }, () => RawConnection.open(service)));
    for (const connection of slow) {
      connection.send(creation(service, toy).slice(0, -1));
      await request(service).get('/v1/toys').expect(200);
    }
    for (const connection of slow) expect(await resultOf(connection, '}')).to.equal('201 keep-alive');
  });
});

describeWithRedis('the concurrency limit', () => {
  it('does not count requests whose clients disconnect, or whose bodies are rejected, before they are read', async () => {
    const redis = await RedisServer.start();
    const service = await startToys({ MAX_CONCURRENT_REQUESTS: '4', REDIS_URL: redis.url });
    // A rate-limit decision takes long, so that requests end during it.
    redis.pause();
    const closed: Promise<unknown>[] = [];
    for (const rest of ['', '', 'zz\r\n', 'zz\r\n']) {
      const connection = await RawConnection.open(service, creationHead(service, json, chunked));
      const [{ socket }] = (await once(service.server, 'request')) as [IncomingMessage];
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
      if (rest === '') connection.reset();
      else connection.send(rest);
    }
    await Promise.all(closed);
    redis.resume();
    // The slots are free when the decisions are made; until then, the limit is reached.
    while ((await request(service).get('/v1/toys')).status === 503);
    await Promise.all(Array.from({ length: 4 }, () => request(service).get('/v1/toys').expect(200)));
  });
});

describe('connections', () => {
  let service: TestToys;
  let opened: RawConnection[];
  const start = async (env: Readonly<Record<string, string>>) => {
    opened = [];
    service = await startToys(env);
  };
  const open = async (localAddress = '127.0.0.1') => {
    const connection = await RawConnection.openTo(service.server.address() as AddressInfo, localAddress);
    opened.push(connection);
    return connection;
  };
  /** The results of requests on as many new connections. */
  const results = async (count: number, localAddress?: string) => {
    const all = [];
    while (all.length < count) all.push(await resultOf(await open(localAddress), get(service)));
    return all;
  };
  const expectSlotAfterEnd = async () => {
    opened[0]?.end();
    let result: string | undefined;
    while (result === undefined) [result] = await results(1);
    expect(result).to.equal(kept);
  };

  it('are closed beyond the maximum at once, and accepted when others are closed', async () => {
    await start({ MAX_CONNECTIONS: '2' });
    expect(await results(3)).to.deep.equal([kept, kept, undefined]);
    expect(await resultOf(opened[0] as RawConnection, get(service))).to.equal(kept);
    await expectSlotAfterEnd();
  });

  it('of one address are closed beyond the limit, which does not affect others, with one warning', async () => {
    await start({ MAX_CONNECTIONS_PER_ADDRESS: '2' });
    expect(await results(4)).to.deep.equal([kept, kept, undefined, undefined]);
    expect(await results(1, '127.0.0.2')).to.deep.equal([kept]);
    expect(await resultOf(opened[0] as RawConnection, get(service))).to.equal(kept);
    expect(service.log.lines.filter(({ level }) => level === 'warn')).to.have.lengthOf(1);
    expect(JSON.stringify(service.log.lines)).to.match(/MAX_CONNECTIONS_PER_ADDRESS.*TRUST_PROXY/);
    await expectSlotAfterEnd();
  });

  for (const env of [{ MAX_CONNECTIONS_PER_ADDRESS: '0' }, { TRUST_PROXY: '127.0.0.1' }])
    it(`of one address are not limited with ${JSON.stringify(env)}`, async () => {
      await start({ MAX_CONNECTIONS_PER_ADDRESS: '2', ...env });
      expect(await results(5)).to.deep.equal([kept, kept, kept, kept, kept]);
    });

  it('of a trusted proxy that sends no X-Forwarded-For cause one warning, except for health checks', async () => {
    await start({ TRUST_PROXY: '127.0.0.1' });
    const send = async (path: string, header = '', localAddress = '127.0.0.1') => {
      const connection = await RawConnection.openTo(service.server.address() as AddressInfo, localAddress);
      connection.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n${header}\r\n`);
      await connection.readResponse();
    };
    await send('/healthz');
    await send('/v1/toys', '', '127.0.0.2');
    await send('/v1/toys', 'X-Forwarded-For: 192.0.2.1\r\n');
    const warnings = () => service.log.lines.filter(({ level }) => level === 'warn');
    expect(warnings()).to.deep.equal([]);
    await send('/v1/toys');
    await send('/v1/toys');
    expect(warnings()).to.have.lengthOf(1);
    expect(warnings()[0]).to.include({ address: '127.0.0.1' });
    expect(warnings()[0]?.msg).to.match(/TRUST_PROXY.*X-Forwarded-For/);
  });

  it('receive their response if the client has closed its side after the request', async () => {
    await start({});
    const connection = await open();
    connection.send(creation(service, toy));
    connection.endSending();
    expect((await connection.readResponse()).status).to.equal(201);
    await connection.whenEnded();
  });

  it('are closed after a 429 to a request without a valid key, unless a trusted proxy has sent it', async () => {
    /** The result of the first request that is rejected by a rate limit. */
    const rejection = async (request: string) => {
      const connection = await open();
      let result: string | undefined;
      do result = await resultOf(connection, request);
      while (result === '401 keep-alive' || result === kept);
      return result;
    };
    const withoutKey = message(['GET /v1/toys HTTP/1.1', host, 'X-Forwarded-For: 192.0.2.1']);
    await start({});
    expect(await rejection(withoutKey)).to.equal('429 close');
    expect(await rejection(get(await issueKey(service, [1, 1])))).to.equal('429 keep-alive');
    await start({ TRUST_PROXY: '127.0.0.1' });
    expect(await rejection(withoutKey)).to.equal('429 keep-alive');
  });
});
