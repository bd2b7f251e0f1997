import { readMigrations } from '#src/database/migrations.js';
import type { PostgresDatabase, Timeouts } from '#src/database/postgres/database.js';
import { openPostgresDatabase } from '#src/database/postgres/open-database.js';
import { resetTransactions } from '#src/pets/postgres/listing-delay.js';
import { serverTimeouts } from '#src/service/open-postgres-stores.js';
import { postgresPrograms } from '../../../scripts/machine/postgres-programs.js';
import { PostgresServer } from './postgres-server.js';

const postgresMigrations = await readMigrations('postgres');

/** Taken in a transaction, it makes every creation wait until the transaction ends. */
export const lockIds = 'SELECT pg_advisory_xact_lock(1346720841)';

let shared: Promise<PostgresServer> | undefined;

/** The server that the test run shares; each test has a separate database. */
export function sharedPostgres(): Promise<PostgresServer> {
  return (shared ??= PostgresServer.create());
}

/** The options of a server. Outages are not reported. */
export const testOptions = {
  connectionsMax: 10,
  timeouts: serverTimeouts,
  migrations: postgresMigrations,
  repairs: [resetTransactions],
  clock: Date.now,
  report: () => undefined,
};

/** Opens the database of a URL, by default with the options of a server. */
export async function openTestPostgres(
  url: string,
  connectionsMax = 10,
  timeouts: Timeouts = serverTimeouts,
): Promise<PostgresDatabase> {
  return (await openPostgresDatabase({ ...testOptions, url, connectionsMax, timeouts })).db;
}

/**
 * A suite that needs PostgreSQL. Without its programs, its tests are pending, with a warning; in CI, they fail.
 */
export function describePostgres(title: string, suite: (this: Mocha.Suite) => void): void {
  if (postgresPrograms !== undefined) {
    describe(title, suite);
    return;
  }
  if (process.env['CI'] !== undefined)
    throw new Error('PostgreSQL is missing: its initdb and postgres are not installed.');
  console.warn(`PostgreSQL is missing: skips "${title}". Install postgresql to run these tests.`);
  describe.skip(title, suite);
}
