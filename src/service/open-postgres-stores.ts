import { PostgresKeyStore } from '../api-keys/postgres-key-store.js';
import { readMigrations } from '../database/migrations.js';
import { openPostgresDatabase, type PostgresOptions } from '../database/postgres/open-database.js';
import type { CreationObserver } from '../pets/pet-store.js';
import { resetTransactions } from '../pets/postgres/listing-delay.js';
import { PostgresPetStore } from '../pets/postgres/pet-store.js';
import { PostgresPetTransfer } from '../pets/postgres/pet-transfer.js';
import { openAll } from './resource-stack.js';

/** The SQL files of PostgreSQL. */
export const postgresMigrations = new URL('../migrations/postgres/', import.meta.url);

/** SQL to run at every start. */
export const startSql = resetTransactions;

/** @throws StartError */
export function openPostgresStores(
  options: Omit<PostgresOptions, 'migrations' | 'startSql'>,
  observer: CreationObserver | undefined,
) {
  return openAll(options.report, async (opened) => {
    const migrations = await readMigrations(postgresMigrations);
    const db = opened.add(await openPostgresDatabase({ ...options, migrations, startSql }));
    return {
      db,
      location: db.location,
      pets: opened.add(new PostgresPetStore(db, observer)),
      transfer: new PostgresPetTransfer(db),
      keys: new PostgresKeyStore(db),
      quotaTable: undefined,
      close: () => opened.close(),
    };
  });
}
