import { apiKeys } from 'contract-server/api-keys.js';
import type { PostgresDatabase, Timeouts } from 'contract-server/database/postgres/database.js';
import { openPostgresDatabase, type PostgresOptions } from 'contract-server/database/postgres/open-database.js';
import { migrationsOf } from 'contract-server/service/open-stores.js';
import { postgresTimeouts } from 'contract-server/service/postgres-engine.js';
import { closeLater } from '../closing.js';
import { postgresPrograms } from '../machine/postgres-programs.js';
import { describeUnless, reasonToSkip } from '../requirements.js';
import { type PostgresLocation, PostgresServer } from './postgres-server.js';

let shared: Promise<PostgresServer> | undefined;

/** Why tests with PostgreSQL are skipped, or `undefined`. */
export const postgresToSkip = reasonToSkip('PostgreSQL', postgresPrograms);

/**
 * The server that the test run shares; each test has a separate database. A test that stops or pauses a server creates
 * its own with `PostgresServer.create`.
 */
export function sharedPostgres(): Promise<PostgresServer> {
  const location = process.env['PETSTORE_TEST_POSTGRES'];
  return (shared ??=
    location === undefined
      ? PostgresServer.launch()
      : Promise.resolve(PostgresServer.at(JSON.parse(location) as PostgresLocation)));
}

/** The timeouts of commands, which may take longer than a request. */
export const commandTimeouts = postgresTimeouts.command;

/** The options of a server with the tables of the library. Outages are not reported. */
export const testOptions: Omit<PostgresOptions, 'url'> = {
  applicationName: 'toys',
  connectionsMax: 10,
  timeouts: postgresTimeouts.server,
  migrations: await migrationsOf({ security: { apiKey: apiKeys() } }, 'postgres'),
  clock: Date.now,
  report: () => undefined,
};

/** Opens the database of a URL, by default with the options of a server. It is closed after the test or file. */
export async function openTestPostgres(
  url: string,
  connectionsMax = 10,
  timeouts: Timeouts = postgresTimeouts.server,
  options = testOptions,
): Promise<PostgresDatabase> {
  const db = await openPostgresDatabase({ ...options, url, connectionsMax, timeouts });
  // A pool can be closed once only, and a test may have done so.
  const close = db.close.bind(db);
  let closed: Promise<void> | undefined;
  db.close = () => (closed ??= close());
  closeLater(() => db.close());
  return db;
}

/** A suite that needs PostgreSQL. */
export function describePostgres(title: string, suite: (this: Mocha.Suite) => void): void {
  describeUnless(postgresToSkip, title, suite);
}
