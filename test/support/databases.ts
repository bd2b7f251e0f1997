/** The databases of the pet store: with its tables and those of the library. */

import * as postgres from '@contract-server/test-support/postgres/postgres.js';
import * as sqlite from '@contract-server/test-support/sqlite/database.js';
import type { PostgresDatabase } from 'contract-server/postgres';
import type { SqliteDatabase } from 'contract-server/sqlite';
import { resetTransactions } from '#src/pets/postgres/listing-delay.js';
import { definition, postgresMigrations, sqliteMigrations } from './pet-store.js';

/** Taken in a transaction, it makes every creation wait until the transaction ends. */
export const lockIds = 'SELECT pg_advisory_xact_lock(1346720841)';

/** The options of a server on PostgreSQL. Outages are not reported. */
const testOptions: typeof postgres.testOptions = {
  ...postgres.testOptions,
  applicationName: definition.name,
  migrations: postgresMigrations,
  startSql: resetTransactions,
};

/** Opens the database of a URL, by default with the options of a server. It is closed after the test or file. */
export function openTestPostgres(
  url: string,
  connectionsMax = 10,
  timeouts?: Parameters<typeof postgres.openTestPostgres>[2],
): Promise<PostgresDatabase> {
  return postgres.openTestPostgres(url, connectionsMax, timeouts, testOptions);
}

/** Opens the database file as a server does. It is closed after the test or file. */
export function openTestDatabase(
  directory?: string,
  changes: Parameters<typeof sqlite.openTestDatabase>[1] = {},
  report?: Parameters<typeof sqlite.openTestDatabase>[2],
): Promise<SqliteDatabase> {
  const own = { fileName: `${definition.name}.db`, migrations: sqliteMigrations };
  return sqlite.openTestDatabase(directory, { ...own, ...changes }, report);
}
