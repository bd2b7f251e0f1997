import type { Decision, Limits, QuotaState } from './decide.js';

/** The key that requests are counted by: the quota of an API key, or a client address. */
export interface Quota {
  readonly kind: 'quota' | 'address';
  readonly id: string;
  readonly limits: Limits;
}

/**
 * The rate-limit counters. They are exact: no request beyond a limit is allowed, under any concurrency. While Redis is
 * unavailable, each node counts separately; after Redis has lost counters, the limits apply within 5 %.
 */
export interface QuotaStore {
  /**
   * Decides about a request and counts it, in one atomic step. Once it resolves, the count of a quota survives a crash
   * of the process, if the counter file or Redis is available.
   */
  consume(client: Quota): Promise<Decision>;

  /** The state of the windows, for the headers of a response. Counts and rejects nothing. */
  peek(client: Quota): Promise<Decision>;
}

/** The rate-limit store of a running server. */
export interface RunningQuotaStore extends QuotaStore {
  /** Whether the shared counters are unavailable, so that this node counts alone. */
  readonly isDegraded: boolean;
  /** How many losses of the shared counters were detected. */
  readonly losses: number;
  readonly scheduledTasks: readonly { readonly intervalMs: number; readonly run: () => unknown }[];
  /** Resolves when pending changes are written. */
  close(): Promise<void>;
}

/** The counters for operators, also while servers run. */
export interface UsageAdministration {
  /** The states of quotas by id; without those that have not been used recently. */
  usage(quotaIds: Iterable<string>): Promise<ReadonlyMap<string, QuotaState>>;

  /** Ends a ban and deletes the history of bans. Running servers apply it within 5 s. */
  unban(quotaId: string): Promise<void>;
}

/** How often states are deleted that no longer affect a decision. */
export const sweepIntervalMs = 10 * 60_000;

/** The fields that an unban resets. Requests that were counted stay counted. */
export const clearedBan: Partial<QuotaState> = {
  minuteRejected: 0,
  abusedMinutes: 0,
  abusedStartedAt: 0,
  bans: 0,
  bannedAt: 0,
  bannedUntil: 0,
};

export function clearBan(state: QuotaState): void {
  Object.assign(state, clearedBan);
}
