import type { PostgresDatabase, Timeouts } from '../database/postgres/database.js';
import { openPostgresDatabase, usePostgres } from '../database/postgres/open-database.js';
import type { ApplicationStores, EngineOptions, Role } from './definition.js';
import type { ResourceStack } from './resource-stack.js';

/** How long a check waits for PostgreSQL to start, in milliseconds. */
const checkTimeoutMs = 2000;

/** During an outage, responses take up to 2.5 s, or 5 s for a creation that waited for the group before it. */
export const postgresTimeouts = {
  server: { connectMs: 800, lockMs: 0, statementMs: 1200, responseMs: 1500 },
  command: { connectMs: 5000, lockMs: 10_000, statementMs: 0, responseMs: 0 },
} as const satisfies Readonly<Record<Role, Timeouts>>;

/** Opens the database that `DATABASE_URL` names. @param startSql runs at every start. @throws StartError */
export async function openPostgres<Stores extends ApplicationStores>(
  opened: ResourceStack,
  options: EngineOptions,
  createStores: (db: PostgresDatabase, options: EngineOptions) => Stores | Promise<Stores>,
  startSql = '',
) {
  const { name: applicationName, role } = options;
  const { databaseUrl: url = '', databaseConnectionsMax: connectionsMax = 1 } = options.config;
  const connection = { applicationName, url, connectionsMax, timeouts: postgresTimeouts[role] };
  const db = opened.add(await openPostgresDatabase({ ...options, ...connection, startSql }));
  return { db, application: await createStores(db, options), location: db.location };
}

/** Connects to the database that `DATABASE_URL` names. @returns its location. @throws StartError */
export function checkPostgres(applicationName: string, url = ''): Promise<string> {
  return usePostgres({ url, applicationName }, checkTimeoutMs, (_client, location) => Promise.resolve(location));
}
