import { PostgresKeyStore } from '../api-keys/postgres-key-store.js';
import { PostgresBookStore } from '../books/postgres/book-store.js';
import type { CreationObserver } from '../database/group-commit.js';
import { readMigrations } from '../database/migrations.js';
import { openPostgresDatabase, type PostgresOptions } from '../database/postgres/open-database.js';
import { openAll } from './resource-stack.js';

/** The SQL files of PostgreSQL. */
export const postgresMigrations = new URL('../migrations/postgres/', import.meta.url);

/** SQL to run at every start. */
export const startSql = '';

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
      books: opened.add(new PostgresBookStore(db, observer)),
      keys: new PostgresKeyStore(db),
      quotaTable: undefined,
      close: () => opened.close(),
    };
  });
}
