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

  /** @param refuse makes the answer for whoever is not patient any more, and notes the trouble. */
  constructor(readonly refuse: () => ApiError) {
    super('Another process holds a lock of the storage.');
  }
}
