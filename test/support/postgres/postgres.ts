import { readMigrations } from '#src/database/migrations.js';
import type { PostgresDatabase } from '#src/database/postgres/database.js';
import { openDatabase } from '#src/database/postgres/open-database.js';
import { serverTimeouts } from '#src/service/open-postgres-stores.js';
import { postgresPrograms } from '../../../scripts/machine/postgres-programs.js';
import { PostgresServer } from './postgres-server.js';

const postgresMigrations = await readMigrations('postgres', 'petstore');

let shared: Promise<PostgresServer> | undefined;

/** The server that the run shares; each test has a database of its own. */
export function sharedPostgres(): Promise<PostgresServer> {
  return (shared ??= PostgresServer.create());
}

/** As a server opens it; what it tells about trouble is for nobody. */
export const testOptions = {
  connectionsMax: 10,
  timeouts: serverTimeouts,
  migrations: postgresMigrations,
  clock: Date.now,
  report: () => undefined,
};

/** The database of a URL as a server opens it. */
export async function openTestPostgres(url: string, connectionsMax = 10): Promise<PostgresDatabase> {
  return (await openDatabase({ ...testOptions, url, connectionsMax })).db;
}

/**
 * A suite that needs PostgreSQL. Where its programs are missing the tests are pending, and the run says so; where `CI`
 * is set, which installs them, that is a failure.
 */
export function describePostgres(title: string, suite: (this: Mocha.Suite) => void): void {
  if (postgresPrograms !== undefined) {
    describe(title, suite);
    return;
  }
  if (process.env['CI'] !== undefined)
    throw new Error('PostgreSQL is missing: its initdb and postgres are not installed.');
  console.warn(`PostgreSQL is missing, so nothing is proved of "${title}". Install postgresql to run these tests.`);
  describe.skip(title, suite);
}
