import { expect } from 'chai';
import { parseRedisTarget } from '#src/database/redis/redis-target.js';
import { RedisUsageAdministration } from '#src/rate-limits/redis/usage-administration.js';
import { allowedCountOf, LimitNode, quota, recoveryMs, usedInRedis } from '../../support/rate-limits/limit-node.js';
import { free } from '../../support/rate-limits/quota.js';
import { describeWithRedis, eventually, RedisServer } from '../../support/redis/redis-server.js';

describeWithRedis('a node whose Redis loses counters', function () {
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

  it('allows only the remaining requests of a limit on three nodes after FLUSHALL', async () => {
    const nodes = [node, await LimitNode.start(redis.url), await LimitNode.start(redis.url)];
    for (const used of [21, 60]) {
      const client = { ...quota, id: `flushed at ${String(used)}` };
      // One after the other, so that each node reads the counts of the others.
      for (let request = 0; request < used; request += 1) await nodes[request % 3]?.consume(1, client);
      await redis.call('FLUSHALL');
      const after = await Promise.all(nodes.map((one) => one.consume(100, client)));
      expect(used + allowedCountOf(after.flat())).to.be.within(free.requestsPerMinute, free.requestsPerMinute * 1.05);
      for (const one of nodes) expect(allowedCountOf(await one.consume(20, client))).to.equal(0);
    }
    for (const { outageEvents } of nodes) expect(outageEvents).to.deep.equal(['counters lost']);
    for (const { store } of nodes.slice(1)) await store.close();
  });

  it('keeps the windows of Redis during and after an outage, whatever its own clock is', async () => {
    for (const skewMs of [-7_200_000, 7_200_000]) {
      const skewed = await LimitNode.start(redis.url, () => Date.now() + skewMs);
      const client = { ...quota, id: `skewed by ${String(skewMs)}` };
      const [first] = await skewed.consume(20, client);
      await redis.kill();
      const [alone] = await skewed.consume(20, client);
      expect(alone?.windows.map(({ resetAt }) => resetAt)).to.deep.equal(first?.windows.map(({ resetAt }) => resetAt));
      await redis.run();
      await skewed.recovered();
      const [again] = await skewed.consume(1, client);
      expect(again?.windows.map(({ resetAt }) => resetAt)).to.deep.equal(first?.windows.map(({ resetAt }) => resetAt));
      expect(again?.reportedWindow.remaining).to.equal(19);
      await skewed.store.close();
      await node.recovered();
    }
  });

  it('treats an invalid value of a key as a lost state, and does not report unknown ones', async () => {
    const corruptions = [
      ['SET', 'garbage'],
      ['SET', '"text"'],
      ['SET', '{"minuteUsed":"many"}'],
      ['SET', '{"minuteUsed":1e999}'],
      ['RPUSH', 'a list'],
    ] as const;
    for (const [command, value] of corruptions) {
      const unknown = { ...quota, id: `unknown ${value}` };
      await redis.call(command, `petstore:quota:${unknown.id}`, value);
      expect(allowedCountOf(await node.consume(2, unknown))).to.equal(2);
    }
    expect(node.outageEvents).to.deep.equal([]);
    await node.consume(50);
    for (const [command, value] of corruptions) {
      await redis.call('DEL', 'petstore:quota:a');
      await redis.call(command, 'petstore:quota:a', value);
      await node.consume(1);
      await node.consume(1);
    }
    expect(await usedInRedis(redis.url)).to.equal(60);
    for (const command of [['RPUSH', 'a list'], corruptions[0]] as const) {
      await redis.call('DEL', 'petstore:dataset');
      await redis.call(command[0], 'petstore:dataset', command[1]);
      await node.store.pollDataSet();
      await eventually('Redis was used again', () => !node.store.isDegraded, recoveryMs);
    }
  });

  it('repeats an unban that Redis loses before every node has read it', async () => {
    await node.consume(1);
    const unban = new RedisUsageAdministration(parseRedisTarget(redis.url)).unban('a');
    const isStored = async () => /unbannedAt/.test((await redis.call<string | null>('GET', 'petstore:quota:a')) ?? '');
    await eventually('it was stored', isStored, recoveryMs);
    await redis.call('FLUSHALL');
    await unban;
    expect(await isStored()).to.equal(true);
  });
});
