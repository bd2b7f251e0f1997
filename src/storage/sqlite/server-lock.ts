import { join } from 'node:path';
import Database from 'better-sqlite3';
import { StartError } from '../../domain/start-error.js';
import { openDatabase } from './connection.js';

const migrations = [{ version: 1, sql: 'CREATE TABLE holder (pid INTEGER NOT NULL) STRICT' }];

/**
 * Makes this process the only server on a data directory until it closes the lock or ends, in whatever way: the lock is a write
 * transaction that stays open on a file of its own, and the operating system drops it with the process.
 *
 * @throws StartError if another server holds it.
 */
export function lockDirectory(directory: string): { close: () => void } {
  const db = openDatabase({ directory, fileName: 'server.lock', migrations, synchronous: 'NORMAL', lockTimeoutMs: 0 });
  try {
    takeLock(db);
  } catch (error) {
    if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) {
      db.close();
      throw new StartError(`The lock in ${directory} cannot be taken: ${(error as Error).message}. See DATA_DIR.`, {
        cause: error,
      });
    }
    const pid = db.prepare('SELECT pid FROM holder').pluck().get() as number | undefined;
    db.close();
    throw new StartError(
      `Another petstore server${pid === undefined ? '' : ` (process ${String(pid)})`} uses ${join(directory, '/')}. Stop it, or set DATA_DIR to another directory.`,
      { cause: error },
    );
  }
  return { close: () => db.close() };
}

function takeLock(db: Database.Database): void {
  db.exec('BEGIN IMMEDIATE; DELETE FROM holder');
  db.prepare('INSERT INTO holder VALUES (?)').run(process.pid);
  // Readers see the process id only once it is committed; between the two transactions another server may win, and then we lose.
  db.exec('COMMIT; BEGIN IMMEDIATE');
}
