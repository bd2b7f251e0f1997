import { expect } from 'chai';
import { parseRedisTarget } from '#src/database/redis/redis-target.js';
import { StoreEvent } from '#src/lib/errors.js';
import type { Decision } from '#src/rate-limits/decide.js';
import type { Quota } from '#src/rate-limits/quota-store.js';
import { FailoverRateLimitStore } from '#src/rate-limits/redis/failover-store.js';
import { RedisUsageAdministration } from '#src/rate-limits/redis/usage-administration.js';
import { eventually } from '../redis/redis-server.js';
import { free, rules } from './quota.js';

/**
 * Responses take at most 250 ms longer during an outage. A machine that runs several test suites may delay this process
 * by as much, so this limit is longer; the timeout of the store is 150 ms.
 */
export const responseMs = 1000;
/** How soon after an outage Redis must be used again. */
export const recoveryMs = 5000;

export const quota: Quota = { kind: 'quota', id: 'a', limits: free };

export const reasonsOf = (decisions: readonly Decision[]) => decisions.map(({ rejectedBy }) => rejectedBy ?? 'allowed');
export const allowedCountOf = (decisions: readonly Decision[]) =>
  reasonsOf(decisions).filter((result) => result === 'allowed').length;

/** The number of requests of `quota` that Redis has counted in the current minute. */
export async function usedInRedis(url: string): Promise<number | undefined> {
  const states = await new RedisUsageAdministration(parseRedisTarget(url)).usage([quota.id]);
  return states.get(quota.id)?.minuteUsed;
}

/** A node's rate-limit store, and the events that it has reported. */
export class LimitNode {
  readonly notices: unknown[] = [];
  readonly store: FailoverRateLimitStore;

  private constructor(url: string, clock: () => number) {
    this.store = new FailoverRateLimitStore(
      parseRedisTarget(url),
      rules,
      clock,
      (notice) => void this.notices.push(notice),
    );
  }

  static async start(url: string, clock: () => number = Date.now): Promise<LimitNode> {
    const node = new LimitNode(url, clock);
    await node.store.start();
    return node;
  }

  /** The kinds of the reported events. */
  get outageEvents(): string[] {
    return this.notices.map((notice) => (notice instanceof StoreEvent ? notice.kind : String(notice)));
  }

  /** Resolves when Redis is used again and the recovery was reported. */
  async recovered(): Promise<void> {
    await eventually('Redis was used again', () => !this.store.isDegraded, recoveryMs);
    // A server does this every second.
    for (let second = 0; second < 2; second += 1) this.store.checkRecovery();
  }

  /** Sends several requests at once. Each must be decided in time. */
  consume(count: number, client = quota): Promise<Decision[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const startedAt = performance.now();
        const decision = await this.store.consume(client);
        expect(performance.now() - startedAt).to.be.lessThan(responseMs);
        return decision;
      }),
    );
  }
}
