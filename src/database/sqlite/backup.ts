import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { BackupError } from '../../lib/errors.js';
import { fileNames, syncDirectory, syncFile } from '../data-files.js';
import { requireOurs } from './connection.js';

export interface BackupOptions {
  readonly directory: string;
  /** The path of the copy. */
  readonly file: string;
  readonly overwrites: boolean;
  readonly countedTable: string;
  readonly onProgress: (copiedBytes: number, bytesTotal: number) => void;
  /** Called when the copy is complete, before it is checked. */
  readonly onCheck: () => void;
  /** Aborts the backup, which then throws the reason of the signal. */
  readonly signal: AbortSignal;
}

export interface Backup {
  /** The number of rows of the counted table. */
  readonly rows: number;
  readonly bytes: number;
}

/** How many pages are copied without a pause. The event loop is blocked meanwhile. */
const pagesAtOnce = 1000;

/**
 * Copies a snapshot of the database, also while a server writes to it. The copy appears under its name
 * when it is complete, checked and on disk, or not at all.
 *
 * SQLite's backup copies page by page, and starts again whenever another process has written, unless a transaction
 * holds a snapshot. `VACUUM INTO` reports no progress, and takes longer because it rebuilds the indexes.
 *
 * @throws BackupError if there is no database, the file exists, or the copy is damaged.
 */
export async function backUpDatabase(options: BackupOptions): Promise<Backup> {
  const { directory, overwrites, onCheck, signal } = options;
  if (/(^|\/)$/.test(options.file)) throw new BackupError('Specify the file to write.');
  const file = resolve(options.file);
  let source: Database.Database | undefined;
  let temporaryDirectory: string | undefined;
  try {
    requireValidTarget(file, directory, overwrites);
    // A separate directory, so that concurrent backups to the same name do not interfere.
    temporaryDirectory = mkdtempSync(`${file}.partial-`);
    const partial = join(temporaryDirectory, basename(file));
    source = openSource(directory);
    closeSync(openSync(partial, 'wx', 0o600));
    await copy(source, partial, options);
    onCheck();
    const rows = check(partial, options.countedTable);
    // Signals of the operating system arrive between two ticks of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    syncFile(partial);
    requireValidTarget(file, directory, overwrites);
    renameSync(partial, file);
    syncDirectory(dirname(file));
    return { rows, bytes: statSync(file).size };
  } catch (error) {
    const isSystem = error instanceof Database.SqliteError || (error instanceof Error && 'syscall' in error);
    throw isSystem ? new BackupError(`The backup failed: ${error.message}.`, { cause: error }) : error;
  } finally {
    source?.close();
    if (temporaryDirectory !== undefined) rmSync(temporaryDirectory, { recursive: true, force: true });
  }
}

function requireValidTarget(file: string, directory: string, overwrites: boolean): void {
  if (!existsSync(dirname(file))) throw new BackupError(`The directory ${dirname(file)} does not exist.`);
  const isBesideData = existsSync(directory) && realpathSync(dirname(file)) === realpathSync(directory);
  if (isBesideData && Object.values(fileNames).some((name) => basename(file).startsWith(name))) {
    throw new BackupError(`${file} is a file of the service. Choose another name.`);
  }
  // A link is not followed, and a device is never replaced.
  const existing = lstatSync(file, { throwIfNoEntry: false });
  if (existing !== undefined && !existing.isFile())
    throw new BackupError(`${file} is not a regular file. Choose another name.`);
  if (existing !== undefined && !overwrites)
    throw new BackupError(`${file} exists. Choose another name, or overwrite it with --force.`);
}

function openSource(directory: string): Database.Database {
  const path = join(directory, fileNames.petstore);
  if (!existsSync(path)) throw new BackupError(`The database ${path} does not exist. See DATA_DIR.`);
  const source = new Database(path, { fileMustExist: true });
  try {
    requireOurs(source, path, Infinity);
    return source;
  } catch (error) {
    source.close();
    throw error;
  }
}

async function copy(source: Database.Database, partial: string, { onProgress, signal }: BackupOptions): Promise<void> {
  const pageBytes = source.pragma('page_size', { simple: true }) as number;
  source.exec('BEGIN');
  // The first read fixes the snapshot that is copied.
  source.prepare('SELECT count(*) FROM sqlite_schema').get();
  await source.backup(partial, {
    progress: ({ totalPages, remainingPages }) => {
      signal.throwIfAborted();
      onProgress((totalPages - remainingPages) * pageBytes, totalPages * pageBytes);
      return pagesAtOnce;
    },
  });
  source.exec('COMMIT');
}

/** Checks every page, index and row of a copy, and makes it a single file. @returns the number of rows of the table. */
function check(partial: string, table: string): number {
  const db = new Database(partial, { fileMustExist: true });
  try {
    db.pragma('journal_mode = DELETE');
    const result = db.pragma('integrity_check', { simple: true }) as string;
    if (result !== 'ok')
      throw new BackupError(`The database is damaged, and so is its copy, which was removed: ${result}`);
    return db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  } finally {
    db.close();
  }
}
