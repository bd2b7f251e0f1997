import { setTimeout as delay } from 'node:timers/promises';
import type { ApiError } from '../openapi/api-error.js';

/** How long a request may wait for the lock of another process, in milliseconds, and how long between two tries. */
export const lockTimeoutMs = 800;
export const lockRetryPauseMs = 10;

/**
 * Another process holds a lock of the storage: worth another try after a pause, for as long as whoever waits is
 * patient.
 */
export class DatabaseLockedError extends Error {
  override readonly name = 'Locked';

  /** @param toApiError makes the answer for whoever is not patient any more, and notes the trouble. */
  constructor(readonly toApiError: () => ApiError) {
    super('Another process holds a lock of the storage.');
  }
}

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
      if (performance.now() - startedAt >= waitMs) throw error.toApiError();
    }
    await delay(lockRetryPauseMs);
  }
}
