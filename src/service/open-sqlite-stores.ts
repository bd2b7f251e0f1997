import { SqliteKeyStore } from '../api-keys/sqlite-key-store.js';
import { readMigrations } from '../database/migrations.js';
import { openSqliteDatabase, type SqliteOptions } from '../database/sqlite/open-database.js';
import { takeServerLock } from '../database/sqlite/server-lock.js';
import type { CreationObserver } from '../pets/pet-store.js';
import { SqlitePetStore } from '../pets/sqlite/pet-store.js';
import { SqlitePetTransfer } from '../pets/sqlite/pet-transfer.js';
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
      pets: opened.add(new SqlitePetStore(db, observer)),
      transfer: new SqlitePetTransfer(db),
      keys: new SqliteKeyStore(db),
      quotaTable: new QuotaTable(db),
      close: () => opened.close(),
    };
  });
}
