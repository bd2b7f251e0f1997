import { existsSync, lstatSync, mkdtempSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandError } from '@contract-server/core/lib/errors.js';
import { createPrivateFile, syncDirectory, syncFile } from '../data-files.js';
import { BetterSqlite3 } from './better-sqlite3.js';
import { requireDatabaseFile, requireOwnDatabase } from './open-database.js';
import { lockFileName } from './server-lock.js';
import { isSqliteError } from './sqlite-error.js';

export interface BackupOptions {
  /** The paths of the database and of the copy. */
  readonly source: string;
  readonly file: string;
  readonly overwrites: boolean;
  /** The table whose rows are counted. */
  readonly countedTable: string | undefined;
  /** Aborts the backup, which then throws the reason of the signal. */
  readonly signal: AbortSignal;
}

/** How many pages are copied without a pause. The event loop is blocked meanwhile. */
const pagesAtOnce = 1000;

/**
 * Copies a snapshot of the database, also while a server writes to it. The copy appears under its name when it is
 * complete, checked and on disk, or not at all. Resolves with its size and the rows of the table.
 *
 * @throws CommandError if there is no database, the file exists, or the copy is damaged.
 */
export async function backUpDatabase(options: BackupOptions): Promise<{ rows: number; bytes: number }> {
  const file = resolve(options.file);
  let temporaryDirectory: string | undefined;
  try {
    requireValidTarget(file, options);
    // A separate directory, so that concurrent backups to the same name do not interfere.
    temporaryDirectory = mkdtempSync(`${file}.partial-`);
    const partial = join(temporaryDirectory, basename(file));
    createPrivateFile(partial);
    await copy(partial, options);
    const rows = check(partial, options.countedTable);
    syncFile(partial);
    renameSync(partial, file);
    syncDirectory(dirname(file));
    return { rows, bytes: statSync(file).size };
  } catch (error) {
    const isSystem = isSqliteError(error) || (error instanceof Error && 'syscall' in error);
    throw isSystem ? new CommandError(`The backup failed: ${error.message}.`, { cause: error }) : error;
  } finally {
    if (temporaryDirectory !== undefined) rmSync(temporaryDirectory, { recursive: true, force: true });
  }
}

function requireValidTarget(file: string, { source, overwrites }: BackupOptions): void {
  requireDatabaseFile(source);
  if (!existsSync(dirname(file))) throw new CommandError(`The directory ${dirname(file)} does not exist.`);
  const isBesideSource = realpathSync(dirname(file)) === realpathSync(dirname(source));
  if (isBesideSource && [basename(source), lockFileName].some((name) => basename(file).startsWith(name)))
    throw new CommandError(`${file} is a file of the service. Choose another name.`);
  // A link is not followed, and a device is never replaced.
  const existing = lstatSync(file, { throwIfNoEntry: false });
  if (existing?.isFile() === false) throw new CommandError(`${file} is not a regular file. Choose another name.`);
  if (existing !== undefined && !overwrites)
    throw new CommandError(`${file} exists. Choose another name, or overwrite it with --force.`);
}

/** Copies a snapshot: without a transaction, SQLite starts again whenever another process has written. */
async function copy(partial: string, { source, signal }: BackupOptions): Promise<void> {
  const db = new BetterSqlite3(source, { fileMustExist: true });
  try {
    db.exec('BEGIN');
    // Its read begins the snapshot.
    requireOwnDatabase(db);
    const progress = () => {
      signal.throwIfAborted();
      return pagesAtOnce;
    };
    await db.backup(partial, { progress });
  } finally {
    db.close();
  }
}

/** Checks every page, index and row of a copy, and makes it a single file. @returns the number of rows of the table. */
function check(partial: string, table: string | undefined): number {
  const db = new BetterSqlite3(partial);
  try {
    db.pragma('journal_mode = DELETE');
    const result = db.pragma('integrity_check', { simple: true }) as string;
    if (result !== 'ok') throw new CommandError(`The database is damaged: ${result}. The copy was removed.`);
    if (table === undefined) return 0;
    return db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  } finally {
    db.close();
  }
}
