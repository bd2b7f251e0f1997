import { SqliteKeyStore } from '../api-keys/sqlite-key-store.js';
import { SqliteBookStore } from '../books/sqlite/book-store.js';
import type { CreationObserver } from '../database/group-commit.js';
import { readMigrations } from '../database/migrations.js';
import { openSqliteDatabase, type SqliteOptions } from '../database/sqlite/open-database.js';
import { takeServerLock } from '../database/sqlite/server-lock.js';
import { QuotaTable } from '../rate-limits/quota-table.js';
import { openAll } from './resource-stack.js';

/** The SQL files of the embedded database. */
export const sqliteMigrations = new URL('../migrations/sqlite/', import.meta.url);

/** @throws StartError */
export function openSqliteStores(
  options: Omit<SqliteOptions, 'migrations'>,
  isServer: boolean,
  observer: CreationObserver | undefined,
) {
  return openAll(options.report, async (opened) => {
    if (isServer) opened.add(takeServerLock(options.directory));
    const db = opened.add(await openSqliteDatabase({ ...options, migrations: await readMigrations(sqliteMigrations) }));
    return {
      db,
      location: options.directory,
      books: opened.add(new SqliteBookStore(db, observer)),
      keys: new SqliteKeyStore(db),
      quotaTable: new QuotaTable(db),
      close: () => opened.close(),
    };
  });
}
