import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LimitedQuota } from '@contract-server/core/contract/document.js';
import type { StoreEvent } from '@contract-server/core/lib/errors.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import {
  allowedCountOf,
  free,
  mostWithoutBan,
  permissions,
  reasonsOf,
  repeat,
  rule,
} from '@contract-server/test-support/rate-limits/quota.js';
import { describeWithRedis, eventually, RedisServer } from '@contract-server/test-support/redis/redis-server.js';
import { TcpProxy } from '@contract-server/test-support/servers/tcp-proxy.js';
import { expect } from 'chai';
import { FailoverQuotaStore } from '#src/rate-limits/failover-quota-store.js';
import { parseRedisTarget } from '#src/rate-limits/redis-target.js';

/** Responses take at most 250 ms longer during an outage; a busy machine may delay this process by as much. */
const responseMs = 1000;
const recoveryMs = 5000;
const quota: LimitedQuota = { id: 'a', limits: free };

describeWithRedis('a node that counts in Redis', function () {
  this.timeout(60_000);
  let redis: RedisServer;
  beforeEach(async () => (redis = await RedisServer.start()));

  async function startNode(url = redis.url) {
    const events: StoreEvent[] = [];
    const store = new FailoverQuotaStore(
      'toys',
      parseRedisTarget(url),
      rule,
      Date.now,
      (event) => void events.push(event),
    );
    closeLater(() => store.close());
    await store.maintain();
    /** Sends requests at once, each of which must be decided in time. */
    const consume = (count: number, client = quota) =>
      Promise.all(
        repeat(count, async () => {
          const startedAt = performance.now();
          const decision = await store.consume(client);
          expect(performance.now() - startedAt).to.be.lessThan(responseMs);
          return decision;
        }),
      );
    /** Resolves when Redis is used again and the recovery was reported, as a server does it every second. */
    const isUsed = async () => {
      await store.maintain();
      return !store.isDegraded && events.at(-1)?.kind === 'storage recovered';
    };
    const recovered = async () => {
      await eventually('Redis was used again', isUsed, recoveryMs);
      expect(events.map(({ kind }) => kind)).to.deep.equal(['storage outage', 'storage recovered']);
    };
    const expectOutage = () => {
      expect(store.isDegraded).to.equal(true);
      expect(events.map(({ kind }) => kind)).to.deep.equal(['storage outage']);
    };
    return { store, events, consume, recovered, expectOutage };
  }

  it('counts by itself while Redis is down, with at most one more quota, reports it once, and recovers', async () => {
    const { store, events, consume, recovered, expectOutage } = await startNode();
    await consume(30);
    await redis.kill();
    await eventually('the loss was noticed without a request', () => store.isDegraded, responseMs);
    expect(allowedCountOf(await consume(100))).to.equal(60);
    expect((await store.peek(quota)).minute.remaining).to.equal(0);
    expect(reasonsOf(await consume(mostWithoutBan(free)))).to.include('ban');
    expectOutage();
    expect(events[0]?.message).to.match(
      /^Redis at redis:\/\/127\.0\.0\.1:\d+ has been unavailable since \S+Z: .+, so this node counts by itself\.$/,
    );
    await redis.run();
    await recovered();
    expect(allowedCountOf(await consume(100)), 'what Redis has lost begins again').to.equal(60);
  });

  it('waits once for a Redis that hangs, queues no request, and ignores late responses', async () => {
    const { store, consume, recovered } = await startNode();
    await consume(1);
    redis.pause();
    const startedAt = performance.now();
    expect(allowedCountOf(await consume(40))).to.equal(40);
    const firstMs = performance.now() - startedAt;
    for (let burst = 0; burst < 20; burst += 1) await consume(50);
    await store.peek(quota);
    expect(performance.now() - startedAt - firstMs, 'later requests do not wait').to.be.lessThan(responseMs);
    redis.resume();
    await recovered();
    expect((await store.peek(quota)).minute.remaining, 'counted late at most once').to.be.within(19, 59);
  });

  it('counts by itself while Redis responds slowly, and continues if Redis has lost the script', async () => {
    const proxy = await TcpProxy.before(redis.port);
    const { store, consume, recovered, expectOutage } = await startNode(`redis://127.0.0.1:${String(proxy.port)}`);
    proxy.delayMs = 50;
    await consume(5);
    await redis.call('SCRIPT', 'FLUSH');
    await consume(5);
    expect(store.isDegraded, 'slow, but in time').to.equal(false);
    proxy.delayMs = 400;
    await consume(1);
    expectOutage();
    proxy.delayMs = 0;
    await recovered();
    expect((await store.peek(quota)).minute.remaining).to.be.within(49, 50);
  });

  it('does not report an outage of Redis if the process itself was blocked', async () => {
    const { events, consume } = await startNode();
    const decisions = consume(20);
    for (let turn = 0; turn < 2; turn += 1) {
      const busyUntil = performance.now() + 300;
      while (performance.now() < busyUntil);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(allowedCountOf(await decisions)).to.equal(20);
    expect(events).to.deep.equal([]);
  });

  it('starts without Redis, and leaves no connection when it is closed during an attempt', async () => {
    await redis.kill();
    const { store, consume, recovered, expectOutage } = await startNode();
    expectOutage();
    expect(allowedCountOf(await consume(100))).to.equal(60);
    await redis.run();
    await recovered();
    redis.pause();
    await consume(1);
    const attempt = store.maintain();
    await store.close();
    redis.resume();
    await attempt;
    await delay(100);
    expect((await redis.call<string>('CLIENT', 'LIST')).trim().split('\n'), 'only this command').to.have.length(1);
  });

  it('accepts a restricted user with any password, a database and a socket, and repeats no wrong password', async () => {
    const path = join(redis.directory, 'redis.sock');
    const local = await RedisServer.start('--unixsocket', path);
    await redis.call('ACL', 'SETUSER', 'shop', 'on', '>p@ss:w/rd%', 'resetkeys', '~toys:*', ...permissions.split(' '));
    for (const url of [redis.url.replace('//', '//shop:p%40ss%3Aw%2Frd%25@').concat('/3'), `unix://${path}?db=2`]) {
      const { store, events, consume } = await startNode(url);
      expect(allowedCountOf(await consume(70))).to.equal(60);
      await store.reset('a');
      expect((await store.peek(quota)).minute.remaining).to.equal(60);
      expect(events).to.deep.equal([]);
    }
    expect(await redis.call('INFO', 'keyspace')).to.match(/^db3:keys=2,/m);
    expect(await local.call('INFO', 'keyspace')).to.match(/^db2:keys=2,/m);
    const { events } = await startNode(redis.url.replace('//', '//someone:hush@'));
    expect(events[0]?.message)
      .to.contain('WRONGPASS')
      .and.not.match(/hush|someone/);
  });
});
