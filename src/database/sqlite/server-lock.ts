import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { StartError } from '../../lib/errors.js';
import { createPrivately, fileNames, makeDirectory } from '../data-files.js';
import { isDiskFull } from './connection.js';

const fileName = fileNames.serverLock;
/** How long to wait for a concurrent start. */
const timeoutMs = 100;

/**
 * Makes this process the only server on a data directory until it closes the lock or exits. The lock is a write
 * transaction that stays open on a separate file; the operating system releases it with the process.
 *
 * @throws StartError if another server holds the lock.
 */
export function takeServerLock(directory: string): { close(): void } {
  const path = join(resolve(directory), fileName);
  let db: Database.Database | undefined;
  try {
    makeDirectory(resolve(directory));
    // A process that closes any descriptor of a file loses its locks on it.
    if (!existsSync(path)) createPrivately(path);
    db = new Database(path, { timeout: timeoutMs });
    // The lock must work on a full disk, and nothing in the file has to survive a crash.
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = OFF');
    writeHolder(db);
    // The process id is committed first, so that other processes can read it. Another server may take the lock before
    // this transaction begins.
    db.exec('BEGIN IMMEDIATE');
    return db;
  } catch (error) {
    const startError = toStartError(error, db, directory);
    db?.close();
    throw startError;
  }
}

/** Writes the id of this process, for the error message of a second server. On a full disk, it is left out. */
function writeHolder(db: Database.Database): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    db.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL) STRICT; DELETE FROM holder');
    db.prepare('INSERT INTO holder VALUES (?)').run(process.pid);
    db.exec('COMMIT');
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

function toStartError(error: unknown, db: Database.Database | undefined, directory: string): StartError {
  if (db === undefined || !(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) {
    return new StartError(`The lock in ${directory} cannot be opened: ${(error as Error).message}. See DATA_DIR.`, {
      cause: error,
    });
  }
  const pid = findHolder(db);
  const holder = pid === undefined ? '' : ` (process ${String(pid)})`;
  return new StartError(
    `Another petstore server${holder} uses ${join(directory, '/')}. Stop it, or set DATA_DIR to another directory.`,
    { cause: error },
  );
}

/** The process that holds the lock, if it could write its id and is still running. */
function findHolder(db: Database.Database): number | undefined {
  try {
    const pid = db.prepare<[], number>('SELECT pid FROM holder').pluck().get();
    return pid !== undefined && isRunning(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 is not delivered.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
