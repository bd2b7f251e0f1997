import type { Admission, BudgetState, Limits } from './decide.js';

/** What a request is counted against: the budget of its key, or the address that it comes from. */
export interface Subject {
  readonly kind: 'budget' | 'address';
  readonly id: string;
  readonly limits: Limits;
}

/** The counters. Exact: never one request over, under any concurrency. */
export interface LimitStore {
  /**
   * Decides about a request and counts it, in one atomic step. A budget's count survives a kill from the moment that
   * this resolves.
   */
  admit(subject: Subject): Promise<Admission>;

  /** What `admit` would tell, without counting anything. */
  peek(subject: Subject): Promise<Admission>;
}

/** What an operator sees and does of the counters, beside a running server. */
export interface LimitLedger {
  /** What is known of these budgets, by their id; nothing of those that were not used lately. */
  usage(budgetIds: Iterable<string>): Promise<ReadonlyMap<string, BudgetState>>;

  /** Lifts a ban and forgets the ones before. A running server follows within 5 s. */
  pardon(budgetId: string): Promise<void>;
}

/** What a pardon changes: no ban is left and nothing that led to one; what was used stays used. */
export const forgiven: Partial<BudgetState> = {
  minuteRefused: 0,
  abusedMinutes: 0,
  abusedStartedAt: 0,
  bans: 0,
  bannedAt: 0,
  bannedUntil: 0,
};

export function forgive(state: BudgetState): void {
  Object.assign(state, forgiven);
}
