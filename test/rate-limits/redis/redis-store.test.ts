import { parseRedisTarget } from '#src/database/redis/redis-target.js';
import { KnownQuotas } from '#src/rate-limits/redis/known-quotas.js';
import { RedisConnection } from '#src/rate-limits/redis/redis-connection.js';
import { RedisRateLimitStore } from '#src/rate-limits/redis/redis-store.js';
import { RedisUsageAdministration } from '#src/rate-limits/redis/usage-administration.js';
import { rules } from '../../support/rate-limits/quota.js';
import { describeWithRedis, RedisServer } from '../../support/redis/redis-server.js';
import { describeLimitStore } from '../rate-limit-store.contract.js';

function failOnLoss(): void {
  throw new Error('Counters were taken for lost.');
}

describeWithRedis('counters in Redis', () => {
  let redis: RedisServer;
  before(async () => (redis = await RedisServer.start()));
  after(() => redis.kill());

  describeLimitStore('Redis', async (at) => {
    await redis.call('FLUSHALL');
    const target = parseRedisTarget(redis.url);
    const open = async () => {
      const known = new KnownQuotas(() => at.now, failOnLoss);
      return new RedisRateLimitStore(await RedisConnection.open(target, 5000), rules, known, () => at.now);
    };
    const fixture = {
      store: await open(),
      administration: new RedisUsageAdministration(target),
      restart: async () => {
        fixture.store.close();
        fixture.store = await open();
      },
      follow: () => Promise.resolve(),
      close: () => {
        fixture.store.close();
        return Promise.resolve();
      },
    };
    return fixture;
  });
});
