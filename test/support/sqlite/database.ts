import type Database from 'better-sqlite3';
import { readMigrations } from '#src/database/migrations.js';
import { OutageLog } from '#src/database/outage-log.js';
import { openSqliteDatabase } from '#src/database/sqlite/connection.js';
import { StoreDatabase, type StoreDatabaseOptions } from '#src/database/sqlite/store-database.js';
import { temporaryDirectory } from '../temporary-directory.js';

export const migrations = await readMigrations('sqlite');

const options = { fileName: 'petstore.db', migrations, lockTimeoutMs: 0 } as const;

/** Opens the database file as the service does. */
export function openTestDatabase(directory = temporaryDirectory()): Database.Database {
  return openSqliteDatabase({ directory, ...options });
}

/** The database for stores. A statement fails at once if the file is locked, as in a server. */
export function openTestStore(
  directory = temporaryDirectory(),
  changes: Partial<StoreDatabaseOptions> = {},
  report: (reported: unknown) => void = () => undefined,
): StoreDatabase {
  return new StoreDatabase({ directory, ...options, ...changes }, new OutageLog('petstore.db', () => 0, report));
}
