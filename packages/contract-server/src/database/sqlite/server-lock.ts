import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartError } from '@contract-server/core/lib/errors.js';
import type Database from 'better-sqlite3';
import { createPrivateFile, makeDirectory } from '../data-files.js';
import { BetterSqlite3 } from './better-sqlite3.js';
import { isLocked, openFailureOf } from './database.js';

export const lockFileName = 'server.lock';
/** How long to wait for a concurrent start, in milliseconds. */
const timeoutMs = 100;

/**
 * Makes this process the only server on a data directory until it closes the lock or exits. The lock is a transaction
 * that stays open on a separate, empty file; the operating system releases it with the process.
 *
 * @throws StartError if another server holds the lock.
 */
export function takeServerLock(directory: string, serviceName: string): { close(): void } {
  const path = join(resolve(directory), lockFileName);
  makeDirectory(directory);
  let db: Database.Database | undefined;
  try {
    // A process that closes any descriptor of a file loses its locks on it.
    if (!existsSync(path)) createPrivateFile(path);
    db = new BetterSqlite3(path, { timeout: timeoutMs });
    return db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    const message = isLocked(error)
      ? `Another ${serviceName} server uses ${join(directory, '/')}. Stop it, or set DATA_DIR to another directory.`
      : `DATA_DIR ${directory} cannot be locked: ${openFailureOf(error)}. See DATA_DIR.`;
    throw new StartError(message, { cause: error });
  }
}
