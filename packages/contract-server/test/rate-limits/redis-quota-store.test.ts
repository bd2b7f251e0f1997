import type { LimitedQuota } from '@contract-server/core/contract/document.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { allowedCountOf, free, repeat, rule } from '@contract-server/test-support/rate-limits/quota.js';
import { startRedisCluster } from '@contract-server/test-support/redis/redis-cluster.js';
import { describeWithRedis, RedisServer, sharedRedisUrl } from '@contract-server/test-support/redis/redis-server.js';
import { expect } from 'chai';
import { dayMs } from '#src/rate-limits/decide.js';
import { RedisQuotaStore } from '#src/rate-limits/redis-quota-store.js';
import { parseRedisTarget } from '#src/rate-limits/redis-target.js';
import { describeQuotaStore } from './quota-store.contract.js';

const timeoutMs = 5000;
const failOnLoss = (error: Error) => expect.fail(error.message);

describeWithRedis('quotas in Redis', function () {
  this.timeout(60_000);
  let redis: RedisServer;
  before(async () => (redis = await RedisServer.start()));

  async function open(url: string): Promise<RedisQuotaStore> {
    const store = await RedisQuotaStore.open('toys', parseRedisTarget(url), rule, timeoutMs);
    closeLater(() => store.close());
    return store;
  }

  describeQuotaStore('Redis', async (at) => {
    const target = parseRedisTarget(await sharedRedisUrl());
    return RedisQuotaStore.open('toys', target, rule, timeoutMs, failOnLoss, () => at.now);
  });

  it('use the clock of Redis, and expire a day after the last request', async () => {
    const store = await open(redis.url);
    const { decidedAt } = await store.consume({ id: 'expiring', limits: free });
    expect(decidedAt).to.be.closeTo(Date.now(), 10_000);
    expect(await redis.call<number>('PTTL', 'toys:quotas:expiring')).to.be.within(dayMs - 10_000, dayMs);
    await store.peek({ id: 'peeked', limits: free });
    expect(await redis.call<number>('EXISTS', 'toys:quotas:peeked')).to.equal(0);
  });

  it('are decided exactly in a cluster, each on one of its nodes', async () => {
    const nodes = await startRedisCluster(2);
    const url = `redis-cluster://127.0.0.1:${String(nodes[0]?.port)},127.0.0.1:${String(nodes[1]?.port)}`;
    const store = await open(url);
    const quotas = Array.from(
      { length: 20 },
      (_, index): LimitedQuota => ({ id: `quota-${String(index)}`, limits: free }),
    );
    const requests = repeat(70, () => quotas).flat();
    const decisions = await Promise.all(requests.map((quota) => store.consume(quota)));
    for (const quota of quotas)
      expect(allowedCountOf(decisions.filter((_, index) => requests[index] === quota)), quota.id).to.equal(60);
    for (const node of nodes) expect(await node.call<number>('DBSIZE')).to.be.greaterThan(3);
    await store.reset('quota-0');
    expect((await store.peek(quotas[0] as LimitedQuota)).minute.remaining).to.equal(60);
  });
});
