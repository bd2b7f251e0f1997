import type Database from 'better-sqlite3';
import { readMigrations } from '#src/storage/migrations.js';
import { openDatabase } from '#src/storage/sqlite/connection.js';
import { temporaryDirectory } from './temporary-directory.js';

export const migrations = await readMigrations('sqlite', 'petstore');

/** The database as the service opens it. A statement that meets a lock fails at once, as in a server. */
export function openTestDatabase(directory = temporaryDirectory()): Database.Database {
  return openDatabase({ directory, fileName: 'petstore.db', migrations, synchronous: 'FULL', lockTimeoutMs: 0 });
}
