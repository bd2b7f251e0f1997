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
    db = new Database(file, { timeout: migrationLockTimeoutMs });
    requireOurs(db, file, migrations.length);
    db.pragma('journal_mode = WAL');
    db.pragma(`synchronous = ${synchronous}`);
    db.pragma('foreign_keys = ON');
    migrate(db, migrations);
    db.pragma(`busy_timeout = ${String(lockTimeoutMs)}`);
    return db;
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
 * Brings the schema up to date in one transaction. Of several processes that try, one does it and the others wait; but not for a
 * process that has done it and then keeps the lock for something else.
 */
function migrate(db: Database.Database, migrations: readonly Migration[]): void {
  const apply = db.transaction(() => {
    for (const { version, sql } of migrations.slice(versionOf(db))) {
      db.exec(sql);
      db.pragma(`user_version = ${String(version)}`);
    }
    db.pragma(`application_id = ${String(applicationId)}`);
  });
  db.pragma(`busy_timeout = ${String(migrationPauseMs)}`);
  for (let waitedMs = 0; versionOf(db) < migrations.length; waitedMs += migrationPauseMs) {
    try {
      apply.immediate();
    } catch (error) {
      const isLocked = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isLocked || waitedMs >= migrationLockTimeoutMs) throw error;
    }
  }
}

function versionOf(db: Database.Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}
