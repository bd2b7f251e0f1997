import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { StoreEvent } from '#src/lib/errors.js';
import { minuteMs } from '#src/rate-limits/decide.js';
import type { Quota } from '#src/rate-limits/quota-store.js';
import {
  allowedCountOf,
  LimitNode,
  quota,
  reasonsOf,
  responseMs,
  usedInRedis,
} from '../../support/rate-limits/limit-node.js';
import { free, rules } from '../../support/rate-limits/quota.js';
import { describeWithRedis, eventually, RedisServer } from '../../support/redis/redis-server.js';
import { SlowProxy } from '../../support/servers/slow-proxy.js';

describeWithRedis('a node that counts in Redis', function () {
  this.timeout(60_000);
  let redis: RedisServer;
  let node: LimitNode;
  beforeEach(async () => {
    redis = await RedisServer.start();
    node = await LimitNode.start(redis.url);
  });
  afterEach(async () => {
    await node.store.close();
    await redis.kill();
  });

  it('counts in Redis together with other nodes: exactly 60 of 500 concurrent requests on three nodes', async () => {
    const others = [await LimitNode.start(redis.url), await LimitNode.start(redis.url)];
    const nodes = [node, ...others];
    const decisions = await Promise.all(
      Array.from({ length: 500 }, (_, index) => (nodes[index % 3] ?? node).store.consume(quota)),
    );
    const remaining = decisions
      .filter(({ rejectedBy }) => rejectedBy === undefined)
      .map(({ reportedWindow }) => reportedWindow.remaining);
    expect(remaining.sort((a, b) => b - a)).to.deep.equal(Array.from({ length: 60 }, (_, index) => 59 - index));
    expect(await usedInRedis(redis.url)).to.equal(60);
    for (const { store, outageEvents } of nodes) expect([store.isDegraded, outageEvents]).to.deep.equal([false, []]);
    for (const { store } of others) await store.close();
  });

  it('uses the clock of Redis, not its own', async () => {
    const late = await LimitNode.start(redis.url, () => Date.now() - 90_000_000);
    const [here, there] = [await node.store.consume(quota), await late.store.consume(quota)];
    expect(there.reportedWindow.remaining).to.equal(58);
    expect(there.reportedWindow.resetAt).to.equal(here.reportedWindow.resetAt);
    expect((await late.store.peek(quota)).decidedAt).to.be.closeTo(Date.now(), 10_000);
    await late.store.close();
  });

  it('counts by itself while Redis is down, reports it once, and recovers', async () => {
    await node.consume(30);
    await redis.kill();
    const decisions = await node.consume(100);
    expect(allowedCountOf(decisions), 'continues from the last state in Redis').to.equal(30);
    expect(decisions.at(-1)?.windows.map(({ name }) => name)).to.deep.equal(['minute', 'day']);
    expect(node.store.isDegraded).to.equal(true);
    expect(node.outageEvents).to.deep.equal(['storage outage']);
    expect((node.notices[0] as StoreEvent).message).to.match(
      /^Redis at redis:\/\/127\.0\.0\.1:\d+ has been unavailable since \S+Z: .+, so this node counts by itself\.$/,
    );
    await redis.run();
    await node.recovered();
    expect(node.outageEvents, 'also reports that Redis has lost the counters').to.deep.equal([
      'storage outage',
      'counters lost',
      'storage recovered',
    ]);
    expect((node.notices[1] as StoreEvent).message).to.match(
      /^Redis at redis:\/\/127\.0\.0\.1:\d+ has lost counters, so this node writes back its known states\.$/,
    );
    await node.consume(1);
    expect(await usedInRedis(redis.url), 'counts from before and during the outage are written back').to.equal(60);
  });

  it('reports lost counters once, and no outage, while Redis responds', async () => {
    const others = Array.from({ length: 20 }, (_, index) => ({ ...quota, id: `other-${String(index)}` }));
    for (const client of others) await node.consume(1, client);
    await redis.call('FLUSHALL');
    for (const client of others) await node.consume(1, client);
    for (let second = 0; second < 2; second += 1) node.store.checkRecovery();
    expect(node.outageEvents).to.deep.equal(['counters lost']);
    expect(node.store.losses).to.equal(1);
  });

  it('detects that Redis is down without a request', async () => {
    await redis.kill();
    await eventually('the loss was noticed', () => node.store.isDegraded, responseMs);
    expect(node.outageEvents).to.deep.equal(['storage outage']);
  });

  it('does not wait for a Redis that hangs, and queues no requests', async () => {
    await node.consume(1);
    redis.pause();
    const inFlight = await node.consume(40);
    expect(allowedCountOf(inFlight)).to.equal(40);
    for (let burst = 0; burst < 20; burst += 1) await node.consume(50);
    expect(node.outageEvents).to.deep.equal(['storage outage']);
    const callsBefore = 2;
    redis.resume();
    await node.recovered();
    const calls = Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.call<string>('INFO', 'commandstats'))?.[1]);
    // The requests that were already sent, and the probes; none of the thousand later ones.
    expect(calls).to.be.within(callsBefore, callsBefore + 40 + 20);
    expect(node.outageEvents).to.deep.equal(['storage outage', 'storage recovered']);
  });

  it('ignores late responses of Redis', async () => {
    for (const pauseMs of [100, 200, 400]) {
      redis.pause();
      const late = Array.from({ length: 20 }, (_, index) =>
        node.store.consume({ ...quota, id: `late-${String(index)}` }),
      );
      await delay(pauseMs);
      redis.resume();
      const other = { ...quota, id: `after ${String(pauseMs)}`, limits: { requestsPerMinute: 7, requestsPerDay: 70 } };
      const decisions = await Promise.all(Array.from({ length: 20 }, () => node.store.consume(other)));
      await Promise.all(late);
      expect(allowedCountOf(decisions)).to.equal(7);
      for (const { windows } of decisions) expect(windows.map(({ limit }) => limit)).to.deep.equal([7, 70]);
      await node.recovered();
    }
  });

  it('does not report an outage of Redis if the process itself was blocked', async () => {
    const decisions = node.consume(20);
    for (let turn = 0; turn < 2; turn += 1) {
      const busyUntil = performance.now() + 300;
      while (performance.now() < busyUntil);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(allowedCountOf(await decisions)).to.equal(20);
    expect(node.outageEvents).to.deep.equal([]);
  });

  it('counts by itself while Redis responds slowly', async () => {
    const proxy = await SlowProxy.before(redis.port);
    const far = await LimitNode.start(proxy.url);
    proxy.delayMs = 60;
    await far.consume(5);
    expect(far.store.isDegraded, 'slow, but in time').to.equal(false);
    proxy.delayMs = 400;
    expect(allowedCountOf(await far.consume(100))).to.equal(55);
    expect(far.store.isDegraded).to.equal(true);
    await delay(2500);
    expect(far.outageEvents, 'an attempt is not enough').to.deep.equal(['storage outage']);
    proxy.delayMs = 0;
    await far.recovered();
    await far.store.close();
    proxy.close();
  });

  it('continues if Redis has lost the scripts', async () => {
    await node.consume(3);
    await redis.call('SCRIPT', 'FLUSH');
    await Promise.all([node.store.peek(quota), node.consume(3)]);
    expect(await usedInRedis(redis.url)).to.equal(6);
    expect(node.outageEvents).to.deep.equal([]);
  });

  for (const [what, fault, repair] of [
    ['has no memory left', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['has become a replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    ['is paused by an operator', ['CLIENT', 'PAUSE', '2000'], ['CLIENT', 'UNPAUSE']],
  ] as const) {
    it(`counts by itself while Redis ${what}`, async () => {
      await node.consume(10);
      await redis.call(...fault);
      expect(allowedCountOf(await node.consume(100))).to.equal(50);
      await delay(1500);
      expect(node.outageEvents).to.deep.equal(['storage outage']);
      if (what !== 'is paused by an operator') await redis.call(...repair);
      await node.recovered();
      expect(node.outageEvents).to.deep.equal(['storage outage', 'storage recovered']);
    });
  }

  it('keeps a ban and a used-up day while Redis is down', async () => {
    const abused: Quota = { ...quota, limits: { requestsPerMinute: 1, requestsPerDay: 2 } };
    for (let minute = 0; minute < rules.abusedMinutesInARow; minute += 1) {
      await node.consume(rules.abusedMinuteFactor + 2, abused);
      await shiftMinute('a');
    }
    expect(reasonsOf(await node.consume(1, abused))).to.deep.equal(['ban']);
    await node.consume(1, { ...abused, id: 'spent', limits: { requestsPerMinute: 9, requestsPerDay: 1 } });
    await redis.kill();
    expect(reasonsOf(await node.consume(2, abused))).to.deep.equal(['ban', 'ban']);
    expect(
      reasonsOf(await node.consume(1, { ...abused, id: 'spent', limits: { requestsPerMinute: 9, requestsPerDay: 1 } })),
    ).to.deep.equal(['day']);
  });

  it('bans while Redis is down', async () => {
    await redis.kill();
    const clock = { now: Date.now() };
    const alone = await LimitNode.start(redis.url, () => clock.now);
    for (let minute = 0; minute < rules.abusedMinutesInARow; minute += 1) {
      await alone.consume(free.requestsPerMinute * (rules.abusedMinuteFactor + 1) + 1);
      clock.now += minuteMs;
    }
    expect(reasonsOf(await alone.consume(1))).to.deep.equal(['ban']);
    await alone.store.close();
  });

  it('allows one limit per window, in Redis and locally together, even if Redis restarts empty', async () => {
    let allowed = 0;
    for (let round = 0; round < 3; round += 1) {
      await redis.kill();
      allowed += allowedCountOf(await node.consume(40));
      await redis.run();
      await node.recovered();
      allowed += allowedCountOf(await node.consume(5));
    }
    expect(allowed).to.equal(free.requestsPerMinute);
  });

  it('starts without Redis, reports it, and uses Redis once it is available', async () => {
    await redis.kill();
    const early = await LimitNode.start(redis.url);
    expect([early.store.isDegraded, early.outageEvents]).to.deep.equal([true, ['storage outage']]);
    expect(allowedCountOf(await early.consume(100))).to.equal(60);
    await redis.run();
    await early.recovered();
    await early.store.close();
  });

  it('aborts an attempt to reconnect when it is closed, and reports nothing more', async () => {
    redis.pause();
    await node.consume(1);
    await delay(1200);
    await node.store.close();
    redis.resume();
    await delay(1500);
    expect(node.outageEvents).to.deep.equal(['storage outage']);
    const clients = await redis.call<string>('CLIENT', 'LIST');
    expect(clients.trim().split('\n'), 'no connection but that of this command').to.have.length(1);
  });

  /** Ends the minute of a quota in Redis. */
  async function shiftMinute(id: string): Promise<void> {
    const key = `petstore:quota:${id}`;
    const state = JSON.parse(await redis.call<string>('GET', key)) as Record<string, number>;
    const shifted = Object.entries(state).map(([field, value]) => [
      field,
      /At$/.test(field) && value > 0 ? value - minuteMs : value,
    ]);
    await redis.call('SET', key, JSON.stringify(Object.fromEntries(shifted)));
  }
});
