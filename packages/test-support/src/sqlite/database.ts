import { apiKeys } from 'contract-server/api-keys.js';
import type { SqliteDatabase } from 'contract-server/database/sqlite/database.js';
import { openSqliteDatabase, type SqliteOptions } from 'contract-server/database/sqlite/open-database.js';
import { migrationsOf } from 'contract-server/service/open-stores.js';
import { closeLater } from '../closing.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** The migrations of API keys and quotas. */
export const migrations = await migrationsOf({ security: { apiKey: apiKeys() } }, 'sqlite');

/**
 * Opens the database file as a server does: a statement fails at once if the file is locked. It is closed after the
 * test or file.
 */
export async function openTestDatabase(
  directory = temporaryDirectory(),
  changes: Partial<SqliteOptions> = {},
  report: (reported: unknown) => void = () => undefined,
): Promise<SqliteDatabase> {
  const options = { directory, fileName: 'toys.db', migrations, lockTimeoutMs: 0, clock: () => 0, report };
  const db = await openSqliteDatabase({ ...options, ...changes });
  closeLater(() => db.close());
  return db;
}
