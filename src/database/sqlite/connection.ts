import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { StartError } from '../../lib/errors.js';
import { createPrivately, makeDirectory } from '../data-files.js';
import type { Migration } from '../migrations.js';

/** Marks a file as a database of this service, in its header: "PETS" in ASCII. */
const applicationId = 0x50455453;

export interface SqliteOptions {
  /** The directory that holds the file. */
  readonly directory: string;
  readonly fileName: string;
  readonly migrations: readonly Migration[];
  /** How long a statement waits for a lock of another process. 0 in a server, which must not block its event loop. */
  readonly lockTimeoutMs: number;
  /** How long to wait for a concurrent start of another process. It blocks, so it is 0 while requests are served. */
  readonly startTimeoutMs?: number;
  /** Called with each migration that is applied. */
  readonly onMigration?: (migration: Migration) => void;
  /**
   * Locks the file for other processes. SQLite then keeps the index of the write-ahead log in memory, and can read on a
   * full disk. Nothing is created or migrated.
   */
  readonly isExclusive?: boolean;
}

/** How long migrations wait for another process, and the pause between two attempts. */
const migrationLockTimeoutMs = 10_000;
const migrationPauseMs = 100;

/**
 * Opens a database file and migrates its schema.
 *
 * @throws StartError if the file belongs to another program or a newer release, or cannot be opened.
 */
export function openSqliteDatabase(options: SqliteOptions): Database.Database {
  const { directory, fileName, startTimeoutMs = migrationLockTimeoutMs } = options;
  const file = join(resolve(directory), fileName);
  let db: Database.Database | undefined;
  try {
    makeDirectory(resolve(directory));
    createPrivately(file);
    const opened = (db = new Database(file, { timeout: Math.min(migrationPauseMs, startTimeoutMs) }));
    retryWhileLocked(startTimeoutMs, () => prepare(opened, file, options));
    opened.pragma(`busy_timeout = ${String(options.lockTimeoutMs)}`);
    return opened;
  } catch (error) {
    db?.close();
    if (error instanceof StartError) throw error;
    const reason = isDiskFull(error) ? 'the disk is full' : (error as Error).message;
    throw new StartError(`The database ${file} cannot be opened: ${reason}. See DATA_DIR.`, { cause: error });
  }
}

/** Whether the disk is full, for a write or for SQLite's side files. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(FULL|IOERR_SHMSIZE)$/.test(error.code);
}

function prepare(db: Database.Database, file: string, options: SqliteOptions): void {
  const { migrations, onMigration, isExclusive } = options;
  if (isExclusive) db.pragma('locking_mode = EXCLUSIVE');
  requireOurs(db, file, migrations.length);
  if (isExclusive) {
    if (versionOf(db) === migrations.length) return;
    const change = versionOf(db) === 0 ? 'created' : 'migrated';
    throw new StartError(
      `The database ${file} cannot be ${change}: the disk is full. Free disk space, and start again.`,
    );
  }
  db.pragma('journal_mode = WAL');
  // Every commit is synced to disk.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  for (const migration of applyMigrations(db, migrations)) onMigration?.(migration);
}

/** @throws StartError if the file belongs to another program or a newer release. */
export function requireOurs(db: Database.Database, file: string, newestVersion: number): void {
  const version = versionOf(db);
  const isEmpty = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  if (!isEmpty && db.pragma('application_id', { simple: true }) !== applicationId) {
    throw new StartError(
      `${file} is the database of another program. Set DATA_DIR to a directory of the service's own.`,
    );
  }
  if (version > newestVersion) {
    throw new StartError(
      `${file} has schema version ${String(version)}; this release supports ${String(newestVersion)}. ` +
        'Nothing was changed. Start a newer release.',
    );
  }
}

/**
 * Retries while another process holds a lock, because SQLite does not wait for locks when the journal mode changes.
 * Concurrent starts are safe, and none waits for a lock if there is nothing to migrate.
 */
function retryWhileLocked(timeoutMs: number, run: () => void): void {
  const startedAt = performance.now();
  for (;;) {
    try {
      run();
      return;
    } catch (error) {
      const isLocked = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isLocked || performance.now() - startedAt >= timeoutMs) throw error;
      // Blocks the thread: no request is served yet.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, migrationPauseMs);
    }
  }
}

/** Applies the missing migrations in one transaction. @returns these migrations. */
function applyMigrations(db: Database.Database, migrations: readonly Migration[]): readonly Migration[] {
  if (versionOf(db) === migrations.length) return [];
  const apply = db.transaction(() => {
    const missing = migrations.slice(versionOf(db));
    for (const { version, sql } of missing) {
      db.exec(sql);
      db.pragma(`user_version = ${String(version)}`);
    }
    db.pragma(`application_id = ${String(applicationId)}`);
    return missing;
  });
  return apply.immediate();
}

function versionOf(db: Database.Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}
