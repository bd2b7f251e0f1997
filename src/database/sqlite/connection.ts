import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { StartError } from '../../lib/errors.js';
import type { Migration } from '../migrations.js';

/** Marks a file as a database of this service, in its header: "PETS" in ASCII. */
const applicationId = 0x50455453;

export interface OpenOptions {
  /** The directory that holds the file. */
  readonly directory: string;
  readonly fileName: string;
  readonly migrations: readonly Migration[];
  /** FULL: a transaction is on disk once it is committed. NORMAL: a power cut may cost the last ones. */
  readonly synchronous: 'FULL' | 'NORMAL';
  /**
   * How long a statement may wait for the lock of another process, in milliseconds. 0 in a server: it never blocks its
   * event loop.
   */
  readonly lockTimeoutMs: number;
  /**
   * How long to wait, asleep, for another process that starts at the same moment, in milliseconds. 0 beside requests.
   */
  readonly startTimeoutMs?: number;
  /** Told of each migration that was applied. */
  readonly onMigration?: (migration: Migration) => void;
  /**
   * Locks every other process out. Then SQLite keeps the index of the write-ahead log in memory, and needs no room on
   * the disk to read. Nothing is created or migrated.
   */
  readonly isExclusive?: boolean;
}

/**
 * How long the migrations may wait for another process, and how long until they look whether it has done them, in
 * milliseconds.
 */
const migrationLockTimeoutMs = 10_000;
const migrationPauseMs = 100;

/**
 * Opens a database file with its schema brought up to date.
 *
 * @throws StartError if the file is none of ours, was written by a newer version, or cannot be opened.
 */
export function openDatabase(options: OpenOptions): Database.Database {
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

/** Whether an error says that there is no room on the disk, for a write or for what SQLite keeps beside the file. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(FULL|IOERR_SHMSIZE)$/.test(error.code);
}

/** SQLite gives its side files the permissions of the main file, so it is enough to create that one privately. */
export function createPrivately(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

function prepare(db: Database.Database, file: string, options: OpenOptions): void {
  const { migrations, synchronous, onMigration, isExclusive } = options;
  if (isExclusive) db.pragma('locking_mode = EXCLUSIVE');
  requireOurs(db, file, migrations.length);
  if (isExclusive) {
    if (versionOf(db) === migrations.length) return;
    const change = versionOf(db) === 0 ? 'created' : 'migrated';
    throw new StartError(`The database ${file} cannot be ${change}: the disk is full. Make room, and start again.`);
  }
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${synchronous}`);
  db.pragma('foreign_keys = ON');
  for (const migration of applyMigrations(db, migrations)) onMigration?.(migration);
}

/**
 * Node's own recursive mkdir never returns where the system answers ENOENT for a directory whose parent exists, as
 * below /proc.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    // SQLite takes care that its files are found after a power cut; the directory itself is ours.
    syncDirectory(dirname(path));
  } catch (error) {
    // Another process that starts at the same moment may have made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** @throws StartError if a file is the database of another program, or was written by a newer release. */
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
      `${file} has schema version ${String(version)}; this release knows ${String(newestVersion)}. It was left as it is. Start a newer release.`,
    );
  }
}

/**
 * Tries again while another process holds a lock, which SQLite itself does not wait for where the journal mode changes.
 * Several processes that start at the same moment get by each other, and none waits for one that keeps the lock for
 * something else once there is nothing to migrate.
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
      // Nothing is served yet, so the thread may sleep.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, migrationPauseMs);
    }
  }
}

/** Brings the schema up to date in one transaction, unless another process has. @returns what was applied for that. */
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

/** The files of a data directory. SQLite puts others beside them, whose names begin alike. */
export const fileNames = { petstore: 'petstore.db', limits: 'limits.db', serverLock: 'server.lock' } as const;

/**
 * Brings the names in a directory to the disk, where the file system knows how; as in SQLite, it is no failure if it
 * does not.
 */
export function syncDirectory(path: string): void {
  try {
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The file systems that cannot do this are those of other systems, and of networks.
  }
}
