import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { StartError } from '../../domain/start-error.js';
import type { Migration } from '../migrations.js';

/** Marks the file as ours in its header: "PETS" in ASCII. */
const applicationId = 0x50455453;

export interface OpenOptions {
  /** The directory that holds the file. It is created, with the file, if it is missing; both are private to the user. */
  readonly directory: string;
  readonly fileName: string;
  readonly migrations: readonly Migration[];
  /** FULL: a transaction is on disk once it is committed. NORMAL: a power cut may cost the last ones. */
  readonly synchronous: 'FULL' | 'NORMAL';
  /** How long a statement may wait for the lock of another process, in milliseconds. 0 in a server: it never blocks its event loop. */
  readonly lockTimeoutMs: number;
}

/** How long the migrations may wait for another process, and how long until they look whether it has done them, in milliseconds. */
const migrationLockTimeoutMs = 10_000;
const migrationPauseMs = 100;

/**
 * Opens a database file with its schema brought up to date.
 *
 * @throws StartError if the file is none of ours, was written by a newer version, or cannot be opened.
 */
export function openDatabase({ directory, fileName, migrations, synchronous, lockTimeoutMs }: OpenOptions): Database.Database {
  const file = join(directory, fileName);
  let db: Database.Database | undefined;
  try {
    makeDirectory(resolve(directory));
    // SQLite gives its side files the permissions of the main file, so it is enough to create that one privately.
    closeSync(openSync(file, 'a', 0o600));
    const opened = (db = new Database(file, { timeout: migrationPauseMs }));
    retryWhileLocked(() => {
      requireOurs(opened, file, migrations.length);
      opened.pragma('journal_mode = WAL');
      opened.pragma(`synchronous = ${synchronous}`);
      opened.pragma('foreign_keys = ON');
      migrate(opened, migrations);
    });
    opened.pragma(`busy_timeout = ${String(lockTimeoutMs)}`);
    return opened;
  } catch (error) {
    db?.close();
    if (error instanceof StartError) throw error;
    throw new StartError(`The database ${file} cannot be opened: ${(error as Error).message}. See DATA_DIR.`, { cause: error });
  }
}

/** Node's own recursive mkdir never returns where the system answers ENOENT for a directory whose parent exists, as below /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same moment may have made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function requireOurs(db: Database.Database, file: string, newestVersion: number): void {
  const version = versionOf(db);
  const isEmpty = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  if (!isEmpty && db.pragma('application_id', { simple: true }) !== applicationId) {
    throw new StartError(`${file} is the database of another program. Set DATA_DIR to a directory of the service's own.`);
  }
  if (version > newestVersion) {
    throw new StartError(
      `${file} has schema version ${String(version)}; this release knows ${String(newestVersion)}. It was left as it is. Start a newer release.`,
    );
  }
}

/**
 * Tries again while another process holds a lock, which SQLite itself does not wait for where the journal mode changes. Several
 * processes that start at the same moment get by each other, and none waits for one that keeps the lock for something else
 * once there is nothing to migrate.
 */
function retryWhileLocked(run: () => void): void {
  const startedAt = performance.now();
  for (;;) {
    try {
      run();
      return;
    } catch (error) {
      const isLocked = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isLocked || performance.now() - startedAt >= migrationLockTimeoutMs) throw error;
      // Nothing is served yet, so the thread may sleep.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, migrationPauseMs);
    }
  }
}

/** Brings the schema up to date in one transaction, unless another process has. */
function migrate(db: Database.Database, migrations: readonly Migration[]): void {
  if (versionOf(db) === migrations.length) return;
  const apply = db.transaction(() => {
    for (const { version, sql } of migrations.slice(versionOf(db))) {
      db.exec(sql);
      db.pragma(`user_version = ${String(version)}`);
    }
    db.pragma(`application_id = ${String(applicationId)}`);
  });
  apply.immediate();
}

function versionOf(db: Database.Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}
