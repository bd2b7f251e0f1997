import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseLockedError, lockRetryPauseMs, lockTimeoutMs } from '../lock-timeout.js';

/**
 * Runs a statement or transaction without ever waiting for a lock on the event loop: while another process holds it,
 * tries again after a pause.
 *
 * @throws ApiError `store_unavailable` when the storage is locked for too long.
 */
export async function withRetry<T>(run: () => T, waitMs = lockTimeoutMs): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof DatabaseLockedError)) throw error;
      if (performance.now() - startedAt >= waitMs) throw error.refuse();
    }
    await delay(lockRetryPauseMs);
  }
}
