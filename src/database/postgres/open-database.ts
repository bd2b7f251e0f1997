import { Client, DatabaseError } from 'pg';
import type { Clock } from '../../lib/clock.js';
import { reasonOf, StartError } from '../../lib/errors.js';
import { productName } from '../../lib/product.js';
import { type Migration, type MigrationConnection, migrate } from '../migrations.js';
import { OutageLog } from '../outage-log.js';
import { retry } from '../retry.js';
import { closeConnections, type DatabaseOptions, PostgresDatabase } from './database.js';

export interface PostgresOptions extends DatabaseOptions {
  readonly migrations: readonly Migration[];
  /** Runs at every start, after the migrations. */
  readonly startSql?: string;
  /** How long to wait for a server that is starting, and for another process that migrates, in milliseconds. */
  readonly startTimeoutMs?: number;
  readonly clock: Clock;
  /** Receives outages. */
  readonly report: (outage: unknown) => void;
}

const defaultStartTimeoutMs = 8000;
/** Timeout of one attempt to connect, and the pause before the next, in milliseconds. */
const tryTimeoutMs = 2000;
const pauseMs = 200;
/** The key of the advisory lock of migrations: the first four letters of the product, in ASCII. */
const lockKey = Buffer.from(productName.toUpperCase().padEnd(4)).readInt32BE();

/**
 * The SQLSTATEs of a server that is starting or full, and errors of the system and the driver. Others are permanent.
 */
const transientStates = /^(53300|57P03)$/;
const transientErrors = /^E(?!RR_)|timeout|terminated/;

/** Connects to PostgreSQL and migrates the schema. @throws StartError as `usePostgres` does */
export function openPostgresDatabase(options: PostgresOptions): Promise<PostgresDatabase> {
  const { url, migrations, startSql = '', startTimeoutMs = defaultStartTimeoutMs } = options;
  return usePostgres(url, startTimeoutMs, async (client, location) => {
    const results = await migrate(migrationConnectionOf(client, location, startTimeoutMs), migrations);
    await client.query(startSql);
    return new PostgresDatabase(options, location, results, new OutageLog(location, options.clock, options.report));
  });
}

/**
 * Connects to PostgreSQL, checks its settings and uses the connection.
 *
 * @throws StartError within about 10 s if it does not respond, or at once if PostgreSQL rejects the connection.
 */
export async function usePostgres<T>(
  url: string,
  startTimeoutMs: number,
  use: (client: Client, location: string) => Promise<T>,
): Promise<T> {
  let location = 'the database';
  let client: Client | undefined;
  try {
    location = locationOf(url);
    client = await retry(() => connect(url), isTransient, { timeoutMs: startTimeoutMs, pauseMs });
    await requireSettings(client, location);
    return await use(client, location);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${location} cannot be used: ${reasonOf(error)}. See DATABASE_URL.`, { cause: error });
  } finally {
    if (client !== undefined) await closeConnections(client.end(), [client]);
  }
}

function locationOf(url: string): string {
  const { host, port, database } = new Client({ connectionString: url });
  return `PostgreSQL at ${host}:${String(port)}, database ${String(database)}`;
}

function connect(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: productName,
    connectionTimeoutMillis: tryTimeoutMs,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  return client.connect();
}

function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return transientStates.test(error.code ?? '');
  return transientErrors.test((error as NodeJS.ErrnoException).code ?? (error as Error).message);
}

/** Requires UTF-8, because other encodings cannot store every name unchanged, and commits that are on disk. */
async function requireSettings(client: Client, location: string): Promise<void> {
  const { rows } = await client.query<{ server: string; client: string; commit: string }>({
    text: `SELECT current_setting('server_encoding') AS server, current_setting('client_encoding') AS client,
      current_setting('synchronous_commit') AS commit`,
    // The driver's types lack the timeout.
    ...{ query_timeout: tryTimeoutMs },
  });
  const [settings] = rows;
  if (settings?.server !== 'UTF8' || settings.client !== 'UTF8') {
    throw new StartError(`${location} is encoded in ${String(settings?.server)}. Create it with ENCODING 'UTF8'.`);
  }
  if (settings.commit !== 'off') return;
  throw new StartError(`${location} has synchronous_commit = off, which loses acknowledged writes. Set it to on.`);
}

function migrationConnectionOf(client: Client, location: string, timeoutMs: number): MigrationConnection {
  const query = async (text: string) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
  return {
    location,
    hasTable: async (name) => (await query(`SELECT to_regclass('${name}')`))[0]?.[0] !== null,
    beginLocked: async () => {
      try {
        await client.query(`BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${String(timeoutMs)}`);
        await client.query('SELECT pg_advisory_xact_lock($1)', [lockKey]);
        await client.query('SET LOCAL lock_timeout = 0');
      } catch (error) {
        if (!(error instanceof DatabaseError && error.code === '55P03')) throw error;
        const seconds = String(timeoutMs / 1000);
        const message = `Another process has been migrating ${location} for ${seconds} s. Start again when it is done.`;
        throw new StartError(message, { cause: error });
      }
    },
    query,
    run: (sql) => client.query(sql),
  };
}
