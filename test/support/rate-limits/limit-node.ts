import { expect } from 'chai';
import { parseRedisTarget } from '#src/database/redis/redis-target.js';
import { OutageEvent } from '#src/openapi/api-error.js';
import type { Decision } from '#src/rate-limits/decide.js';
import type { RateLimitClient } from '#src/rate-limits/rate-limit-store.js';
import { FailoverRateLimitStore } from '#src/rate-limits/redis/failover-store.js';
import { RedisUsageAdministration } from '#src/rate-limits/redis/usage-administration.js';
import { eventually } from '../redis/redis-server.js';
import { free, rules } from './quota.js';

/**
 * A request is promised its answer at most 250 ms later than usual. A machine that runs several test suites at once may
 * stop this process for that long by itself; the time that the store allows itself, 150 ms, is far enough below this.
 */
export const responseMs = 1000;
/** How soon after Redis answers again it is promised to be used again. */
export const recoveryMs = 5000;

export const quota: RateLimitClient = { kind: 'quota', id: 'a', limits: free };

export const reasonsOf = (decisions: readonly Decision[]) => decisions.map(({ rejectedBy }) => rejectedBy ?? 'allowed');
export const allowedCountOf = (decisions: readonly Decision[]) =>
  reasonsOf(decisions).filter((result) => result === 'allowed').length;

/** How many requests of `quota` Redis has counted in its minute, as another node or an operator reads it. */
export async function usedInRedis(url: string): Promise<number | undefined> {
  const states = await new RedisUsageAdministration(parseRedisTarget(url)).usage([quota.id]);
  return states.get(quota.id)?.minuteUsed;
}

/** The counters of a node, and what its operator was told of them. */
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

  /** What the operator was told: that there is trouble, or that it is over. */
  get outageEvents(): string[] {
    return this.notices.map((notice) => {
      if (!(notice instanceof OutageEvent)) return String(notice);
      return notice.isOver ? 'recovery' : 'outage';
    });
  }

  /** Resolves once Redis is used again and the operator was told so. */
  async recovered(): Promise<void> {
    await eventually('Redis was used again', () => !this.store.isDegraded, recoveryMs);
    // As every second in a server.
    for (let second = 0; second < 2; second += 1) this.store.checkRecovery();
  }

  /** Several requests at once, each of which must have its answer in time. */
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
