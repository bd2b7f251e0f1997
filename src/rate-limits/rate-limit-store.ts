import type { Decision, Limits, QuotaState } from './decide.js';

/** What a request is counted against: the budget of its key, or the address that it comes from. */
export interface RateLimitClient {
  readonly kind: 'quota' | 'address';
  readonly id: string;
  readonly limits: Limits;
}

/** The counters. Exact: never one request over, under any concurrency. */
export interface RateLimitStore {
  /**
   * Decides about a request and counts it, in one atomic step. A budget's count survives a kill from the moment that
   * this resolves.
   */
  consume(client: RateLimitClient): Promise<Decision>;

  /** What `admit` would tell, without counting anything. */
  peek(client: RateLimitClient): Promise<Decision>;
}

/** What an operator sees and does of the counters, beside a running server. */
export interface UsageAdministration {
  /** What is known of these budgets, by their id; nothing of those that were not used lately. */
  usage(quotaIds: Iterable<string>): Promise<ReadonlyMap<string, QuotaState>>;

  /** Lifts a ban and forgets the ones before. A running server follows within 5 s. */
  unban(quotaId: string): Promise<void>;
}

/** What a pardon changes: no ban is left and nothing that led to one; what was used stays used. */
export const clearedBan: Partial<QuotaState> = {
  minuteRefused: 0,
  abusedMinutes: 0,
  abusedStartedAt: 0,
  bans: 0,
  bannedAt: 0,
  bannedUntil: 0,
};

export function clearBan(state: QuotaState): void {
  Object.assign(state, clearedBan);
}
