import { setTimeout as delay } from 'node:timers/promises';
import { Locked, patienceMs, pauseMs } from '../lock-timeout.js';

/**
 * Runs a statement or transaction without ever waiting for a lock on the event loop: while another process holds it,
 * tries again after a pause.
 *
 * @throws Refusal `store_unavailable` when the storage is locked for too long.
 */
export async function withRetry<T>(run: () => T, waitMs = patienceMs): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Locked)) throw error;
      if (performance.now() - startedAt >= waitMs) throw error.refuse();
    }
    await delay(pauseMs);
  }
}
