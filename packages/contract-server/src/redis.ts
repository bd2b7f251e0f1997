import type { QuotasPart } from './service/definition.js';

/** How long a command waits for a response of Redis, in milliseconds. */
const commandTimeoutMs = 2000;

/**
 * Quotas in Redis or Valkey, which any number of nodes share. `REDIS_URL` names the server. If it is empty, or while
 * the server is unavailable, each node counts on its own. Requires the package `@redis/client`.
 */
export function redisQuotas(): QuotasPart {
  return {
    start: async (name, target, rule, clock, report) => {
      const { FailoverQuotaStore } = await import('./rate-limits/failover-quota-store.js');
      const quotas = new FailoverQuotaStore(name, target, rule, clock, report);
      await quotas.maintain();
      return quotas;
    },
    open: async (name, target, rule) => {
      const { RedisQuotaStore } = await import('./rate-limits/redis-quota-store.js');
      return RedisQuotaStore.open(name, target, rule, commandTimeoutMs);
    },
  };
}
