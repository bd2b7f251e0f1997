import type { LimitedQuota } from '@contract-server/core/contract/document.js';
import type { Decision } from './decide.js';

/** The windows and bans of quotas. The limits are exact: no request beyond one is allowed, under any concurrency. */
export interface QuotaStore {
  /** Decides about a request and counts it, in one atomic step. */
  consume(quota: LimitedQuota): Promise<Decision>;

  /** The state of the windows. Counts and rejects nothing. */
  peek(quota: LimitedQuota): Promise<Decision>;

  /** Ends a ban and resets the minute, for `keys unban`. Running servers apply it within 5 s. */
  reset(id: string): Promise<void>;

  /** Resolves when pending changes are saved and connections are closed. */
  close(): Promise<void>;
}

/** The quota store of a running server. */
export interface RunningQuotaStore extends QuotaStore {
  /** Whether Redis is unavailable, so that this node limits by itself. */
  readonly isDegraded: boolean;

  /** Saves changes or reconnects. A server calls it every second. */
  maintain(): Promise<void>;
}
