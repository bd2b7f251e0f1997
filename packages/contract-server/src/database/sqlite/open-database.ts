import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '@contract-server/core/lib/clock.js';
import { StartError } from '@contract-server/core/lib/errors.js';
import type Database from 'better-sqlite3';
import { createPrivateFile, makeDirectory } from '../data-files.js';
import { type Migration, type MigrationConnection, migrate, migrationTable, previewTable } from '../migrations.js';
import { OutageLog } from '../outage-log.js';
import { retry } from '../retry.js';
import { BetterSqlite3 } from './better-sqlite3.js';
import { isLocked, openFailureOf, SqliteDatabase } from './database.js';

export interface SqliteOptions {
  /** The directory of the file. It is created if it does not exist. */
  readonly directory: string;
  readonly fileName: string;
  readonly migrations: readonly Migration[];
  /** How long a statement waits for a lock of another process. 0 in a server, which must not block its event loop. */
  readonly lockTimeoutMs: number;
  readonly clock: Clock;
  /** Receives outages. */
  readonly report: (outage: unknown) => void;
}

/** How long a start waits for a lock of another process, and the pause between two attempts, in milliseconds. */
const startRetry = { timeoutMs: 10_000, pauseMs: 20 };

/**
 * Opens a database file and migrates its schema. Every commit is synced to disk.
 *
 * @throws StartError if the file belongs to another program or a newer release, is locked, or
 * cannot be opened, or if the disk is full.
 */
export async function openSqliteDatabase(options: SqliteOptions): Promise<SqliteDatabase> {
  const { directory, fileName, migrations, lockTimeoutMs, clock, report } = options;
  const file = join(resolve(directory), fileName);
  makeDirectory(resolve(directory));
  let db: Database.Database | undefined;
  try {
    createPrivateFile(file);
    const opened = (db = new BetterSqlite3(file, { timeout: startRetry.timeoutMs }));
    requireOwnDatabase(opened);
    // SQLite does not wait for locks when the journal mode changes, as it does when the file is created.
    await retry(() => opened.pragma('journal_mode = WAL'), isLocked, startRetry);
    opened.pragma('synchronous = FULL');
    opened.pragma('foreign_keys = ON');
    const results = await migrate(migrationConnectionOf(opened), migrations);
    opened.pragma(`busy_timeout = ${String(lockTimeoutMs)}`);
    return new SqliteDatabase(opened, results, new OutageLog(fileName, clock, report));
  } catch (error) {
    db?.close();
    throw openError(file, error);
  }
}

/** @throws StartError if a database file does not exist. */
export function requireDatabaseFile(file: string): void {
  if (!existsSync(file)) throw new StartError(`The database ${file} does not exist. See DATA_DIR.`);
}

/** Checks that a file is a database of the service, without changing it. @throws StartError */
export function checkSqliteFile(file: string): void {
  let db: Database.Database | undefined;
  try {
    db = new BetterSqlite3(file, { readonly: true });
    requireOwnDatabase(db);
  } catch (error) {
    throw openError(file, error);
  } finally {
    db?.close();
  }
}

function openError(file: string, cause: unknown): StartError {
  if (cause instanceof StartError) return cause;
  return new StartError(`The database ${file} cannot be opened: ${openFailureOf(cause)}. See DATA_DIR.`, { cause });
}

/** @throws StartError if the file is the database of another program. */
export function requireOwnDatabase(db: Database.Database): void {
  const isEmpty = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  if (isEmpty || hasTable(db, migrationTable) || hasTable(db, previewTable)) return;
  throw new StartError(
    `${db.name} is the database of another program. Set DATA_DIR to a directory of the service's own.`,
  );
}

function migrationConnectionOf(db: Database.Database): MigrationConnection {
  return {
    location: db.name,
    hasTable: (name) => hasTable(db, name),
    beginLocked: () => db.exec('BEGIN IMMEDIATE'),
    query: (sql) => db.prepare<[], readonly unknown[]>(sql).raw().all(),
    run: (sql) => db.exec(sql),
  };
}

function hasTable(db: Database.Database, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}
