import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { StartError } from '../../domain/start-error.js';
import { createPrivately, isDiskFull, makeDirectory } from './connection.js';
import { fileNames } from './file-names.js';
import { PlacedFile, sightOf, statOf } from './placed-file.js';

const fileName = fileNames.serverLock;
/** How long to wait for a process that starts at the same moment, in milliseconds. */
const timeout = 100;

/** A lock that is held: a transaction that stays open. */
interface Held {
  readonly db: Database.Database;
  readonly file: PlacedFile;
}

/**
 * Makes this process the only server on a data directory until it closes the lock or ends, in whatever way: the lock is a write
 * transaction that stays open on a file of its own, and the operating system drops it with the process.
 */
export class ServerLock {
  private held: Held | undefined;
  private lastSight = '';

  /** @throws StartError if another server holds it. */
  constructor(private readonly directory: string) {
    this.held = takeLock(directory);
  }

  /**
   * Takes the lock again where its file, or the directory, was exchanged. To be called every second.
   *
   * @returns why this process may not work on the directory, or `undefined` if it may.
   */
  tend(): string | undefined {
    if (this.held?.file.isInPlace() === true) return undefined;
    const sight = sightOf(this.directory);
    const isStill = sight === this.lastSight;
    this.lastSight = sight;
    if (statOf(this.directory) === undefined) return 'the data directory is gone; put it back, or a backup into another one';
    // Whoever puts files there may not be done yet.
    if (!isStill) return 'the data directory was moved, deleted or replaced';
    try {
      this.close();
      this.held = takeLock(this.directory);
      return undefined;
    } catch (error) {
      return (error as Error).message.replace(/\.$/, '');
    }
  }

  close(): void {
    this.held?.db.close();
    this.held = undefined;
  }
}

function takeLock(directory: string): Held {
  const path = join(resolve(directory), fileName);
  let db: Database.Database | undefined;
  try {
    makeDirectory(resolve(directory));
    // A process that closes any descriptor of a file loses its locks on it.
    if (!existsSync(path)) createPrivately(path);
    db = new Database(path, { timeout });
    // The lock needs no room on the disk, and nothing in the file has to survive a crash.
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = OFF');
    writeHolder(db);
    // Others see the holder only once it is committed. Before this transaction another server may win.
    db.exec('BEGIN IMMEDIATE');
    return { db, file: new PlacedFile(path) };
  } catch (error) {
    const refusal = refusalOf(error, db, directory);
    db?.close();
    throw refusal;
  }
}

/** Names this process, for the message to the next one. The lock is held also if there is no room on the disk for that. */
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

function refusalOf(error: unknown, db: Database.Database | undefined, directory: string): StartError {
  if (db === undefined || !(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) {
    return new StartError(`The lock in ${directory} cannot be opened: ${(error as Error).message}. See DATA_DIR.`, {
      cause: error,
    });
  }
  const pid = holderOf(db);
  const holder = pid === undefined ? '' : ` (process ${String(pid)})`;
  return new StartError(
    `Another petstore server${holder} uses ${join(directory, '/')}. Stop it, or set DATA_DIR to another directory.`,
    { cause: error },
  );
}

/** The process that holds the lock, if it could write its id: what was written may be of one that has ended. */
function holderOf(db: Database.Database): number | undefined {
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
