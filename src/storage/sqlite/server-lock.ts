import { join } from 'node:path';
import Database from 'better-sqlite3';
import { StartError } from '../../domain/start-error.js';
import { type OpenOptions, openDatabase } from './connection.js';
import { fileNames } from './file-names.js';
import { PlacedFile, sightOf, statOf } from './placed-file.js';

const fileName = fileNames.serverLock;
const migrations = [{ version: 1, name: 'holder', compatibleFrom: 1, sql: 'CREATE TABLE holder (pid INTEGER NOT NULL) STRICT' }];

/** A lock that is held: a transaction that stays open. */
interface Held {
  readonly db: Database.Database;
  /** The file, and the one beside it in which SQLite locks where there is a write-ahead log. */
  readonly files: readonly PlacedFile[];
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
    this.held = takeLock(directory, {});
  }

  /**
   * Takes the lock again where its file, or the directory, was exchanged. To be called every second.
   *
   * @returns why this process may not work on the directory, or `undefined` if it may.
   */
  tend(): string | undefined {
    if (this.held?.files.every((file) => file.isInPlace()) === true) return undefined;
    const sight = sightOf(this.directory);
    const isStill = sight === this.lastSight;
    this.lastSight = sight;
    if (statOf(this.directory) === undefined) return 'the data directory is gone; put it back, or a backup into another one';
    // Whoever puts files there may not be done yet.
    if (!isStill) return 'the data directory was moved, deleted or replaced';
    try {
      this.close();
      this.held = takeLock(this.directory, { creates: 'file', startPatienceMs: 0 });
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

function takeLock(directory: string, options: Pick<OpenOptions, 'creates' | 'startPatienceMs'>): Held {
  const db = openDatabase({ directory, fileName, migrations, synchronous: 'NORMAL', lockTimeoutMs: 0, ...options });
  try {
    beginForever(db);
    const path = join(directory, fileName);
    return { db, files: [new PlacedFile(path), new PlacedFile(`${path}-shm`)] };
  } catch (error) {
    throw refusalOf(error, db, directory);
  }
}

function beginForever(db: Database.Database): void {
  db.exec('BEGIN IMMEDIATE; DELETE FROM holder');
  db.prepare('INSERT INTO holder VALUES (?)').run(process.pid);
  // Readers see the process id only once it is committed; between the two transactions another server may win, and then we lose.
  db.exec('COMMIT; BEGIN IMMEDIATE');
}

/** Closes the database of a lock that was not had. */
function refusalOf(error: unknown, db: Database.Database, directory: string): StartError {
  if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) {
    db.close();
    return new StartError(`The lock in ${directory} cannot be taken: ${(error as Error).message}. See DATA_DIR.`, {
      cause: error,
    });
  }
  const pid = db.prepare('SELECT pid FROM holder').pluck().get() as number | undefined;
  db.close();
  const holder = pid === undefined ? '' : ` (process ${String(pid)})`;
  return new StartError(
    `Another petstore server${holder} uses ${join(directory, '/')}. Stop it, or set DATA_DIR to another directory.`,
    { cause: error },
  );
}
