import { setTimeout as delay } from 'node:timers/promises';
import type { ApiError } from '../lib/errors.js';

/** How long a request waits for a lock of another process, and the pause between two attempts, in milliseconds. */
export const lockTimeoutMs = 800;
export const lockRetryPauseMs = 10;

/** Another process holds a lock on the database. The statement can be retried after a pause. */
export class DatabaseLockedError extends Error {
  override readonly name = 'DatabaseLockedError';

  /** @param toApiError creates the error of a request that has timed out, and records the outage. */
  constructor(readonly toApiError: () => ApiError) {
    super('Another process holds a lock on the database.');
  }
}

/**
 * Runs a statement or transaction, and retries it after a pause while another process holds a lock, so that the event
 * loop is never blocked.
 *
 * @throws ApiError `store_unavailable` if the database is still locked after the timeout.
 */
export async function withRetry<T>(run: () => T): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof DatabaseLockedError)) throw error;
      if (performance.now() - startedAt >= lockTimeoutMs) throw error.toApiError();
    }
    await delay(lockRetryPauseMs);
  }
}
