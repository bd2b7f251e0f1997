import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import type { Clock } from '../../lib/clock.js';
import type { StoreEvent } from '../../lib/errors.js';
import { reasonOf, StartError } from '../../lib/errors.js';
import type { Migration } from '../migrations.js';
import { OutageLog } from '../outage-log.js';
import { closeConnections, type DatabaseOptions, PostgresDatabase } from './database.js';
import { migrate, type Repair } from './migrate.js';
import { roleSettings } from './role-settings.js';

export interface PostgresOptions extends DatabaseOptions {
  readonly migrations: readonly Migration[];
  readonly repairs: readonly Repair[];
  /** How long to wait for a server that is starting, and for another process that migrates, in milliseconds. */
  readonly startTimeoutMs?: number;
  readonly clock: Clock;
  readonly report: (event: StoreEvent) => void;
}

export interface OpenedDatabase {
  readonly db: PostgresDatabase;
  /** Host, port and database, without credentials. */
  readonly location: string;
  readonly applied: readonly Migration[];
}

const defaultStartTimeoutMs = 8000;
/** Timeout of one attempt to connect, and the pause before the next, in milliseconds. */
const tryTimeoutMs = 2000;
const pauseMs = 200;

/**
 * SQLSTATEs, and errors of the system and the driver, of a server that is starting or full. Others are permanent.
 * PgBouncer reports both as 08P01, and a wrong password, too.
 */
const transientStates = /^(08P01|53300|57P03)$/;
const transientErrors = /^E(?!RR_)|timeout|terminated/;

/**
 * Connects to PostgreSQL and migrates the schema.
 *
 * @throws StartError within about 10 s if it does not respond, or at once if PostgreSQL rejects the connection.
 */
export async function openPostgresDatabase(options: PostgresOptions): Promise<OpenedDatabase> {
  const { url, migrations, repairs, clock, report, startTimeoutMs = defaultStartTimeoutMs } = options;
  let location = 'the database';
  let client: Client | undefined;
  try {
    location = locationOf(url);
    client = await connect(url, startTimeoutMs);
    await requireUnicode(client, location);
    const applied = await migrate(client, {
      migrations,
      repairs: [roleSettings, ...repairs],
      location,
      timeoutMs: startTimeoutMs,
    });
    const outages = new OutageLog(location, clock, report);
    return { db: new PostgresDatabase(options, outages), location, applied };
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

async function connect(url: string, timeoutMs: number): Promise<Client> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const client = new Client({
      connectionString: url,
      application_name: 'petstore',
      connectionTimeoutMillis: tryTimeoutMs,
      // Longer than the wait for another process that migrates.
      query_timeout: timeoutMs + tryTimeoutMs,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    try {
      return await client.connect();
    } catch (error) {
      if (!isTransient(error) || performance.now() >= giveUpAt) throw error;
    }
    await delay(pauseMs);
  }
}

function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return transientStates.test(error.code ?? '');
  return transientErrors.test((error as NodeJS.ErrnoException).code ?? (error as Error).message);
}

/** Requires UTF-8: other encodings cannot store every name unchanged. */
async function requireUnicode(client: Client, location: string): Promise<void> {
  const { rows } = await client.query<{ server: string; client: string }>(
    `SELECT current_setting('server_encoding') AS server, current_setting('client_encoding') AS client`,
  );
  const [encodings] = rows;
  if (encodings?.server === 'UTF8' && encodings.client === 'UTF8') return;
  throw new StartError(`${location} is encoded in ${String(encodings?.server)}. Create it with ENCODING 'UTF8'.`);
}
