import type { BanRules } from '../../contract/document.js';
import type { Clock } from '../../domain/clock.js';
import type { LimitStore, Subject } from '../../domain/limit-store.js';
import { type Admission, type BudgetState, dayMs, type Limits, minuteMs, peek, viewOf } from '../../domain/limits.js';
import { limitKey, probeKey } from './limit-key.js';
import type { RedisConnection } from './redis-connection.js';

/**
 * The counters of any number of nodes: one key per budget and per address, each with an expiry. Decisions are made in Redis, one script and one
 * round trip each, by its clock. Its methods reject when Redis does not answer in time.
 */
export class RedisLimitStore implements LimitStore {
  constructor(
    private readonly connection: RedisConnection,
    private readonly rules: BanRules,
    /** Told where a budget stands after each decision about it. */
    private readonly onState: (budgetId: string, state: BudgetState) => void = () => undefined,
    /** Instead of Redis's own, where a test moves the time. */
    private readonly clock?: Clock,
  ) {}

  async admit(subject: Subject): Promise<Admission> {
    const { kind, id, limits } = subject;
    const rules = kind === 'budget' ? this.rules : undefined;
    const { refusedBy, beginsBan, state, now } = await this.decide(limitKey(subject), limits, rules);
    if (kind === 'budget') this.onState(id, state);
    const admission = viewOf(state, limits, now, refusedBy);
    return beginsBan ? { ...admission, beginsBan } : admission;
  }

  async peek(subject: Subject): Promise<Admission> {
    const { state, now } = await this.connection.peek(limitKey(subject));
    return peek(state, subject.limits, this.clock?.() ?? now);
  }

  /** Decides about nobody's request. @throws if a request could not be decided either. */
  async probe(): Promise<void> {
    await this.decide(probeKey, { requestsPerMinute: 1 }, undefined);
  }

  close(): void {
    this.connection.close();
  }

  /** The numbers in the order in which `admit.lua` takes them; an address has neither a day nor bans. */
  private decide(key: string, limits: Limits, rules: BanRules | undefined) {
    const numbers = [
      ...[limits.requestsPerMinute, limits.requestsPerDay],
      ...[rules?.abusedMinuteFactor, rules?.abusedMinutesInARow],
      ...[rules?.firstBanSeconds, rules?.longestBanSeconds, rules?.rememberedSeconds],
      ...[minuteMs, dayMs],
      this.clock?.(),
    ];
    return this.connection.admit(key, ...numbers.map((number) => (number === undefined ? '' : String(number))));
  }
}
