import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { storeUnavailable } from '../../domain/refusal.js';

/** How long a request may wait for the lock of another process, in milliseconds, and how long between two tries. */
const patienceMs = 800;
const pauseMs = 10;

/** SQLite's primary result codes for trouble of the storage rather than of the statement (sqlite.org/rescode.html). */
const storageTrouble = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CORRUPT|CANTOPEN|NOTADB|PERM|NOLFS|PROTOCOL)(_|$)/;

/**
 * Runs a statement or transaction without ever waiting for a lock on the event loop: while another process holds it, tries again
 * after a pause.
 *
 * @throws Refusal `store_unavailable` when the storage is locked for too long, full, read-only, damaged or gone.
 */
export async function withRetry<T>(run: () => T): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Database.SqliteError) || !storageTrouble.test(error.code)) throw error;
      const isLocked = /^SQLITE_(BUSY|LOCKED)/.test(error.code);
      if (!isLocked || performance.now() - startedAt >= patienceMs) throw storeUnavailable(error);
    }
    await delay(pauseMs);
  }
}
