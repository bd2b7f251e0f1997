import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import type { Clock } from '../../lib/clock.js';
import { type OutageEvent, StartError } from '../../lib/errors.js';
import type { Migration } from '../migrations.js';
import { OutageLog } from '../outage-log.js';
import { closeConnections, type DatabaseOptions, PostgresDatabase } from './database.js';
import { migrate } from './migrate.js';
import { reasonOf } from './outage.js';

export interface OpenOptions extends DatabaseOptions {
  readonly migrations: readonly Migration[];
  /**
   * How long to wait for a server that is started at the same moment, and for another process that migrates, in
   * milliseconds.
   */
  readonly startTimeoutMs?: number;
  readonly clock: Clock;
  readonly report: (event: OutageEvent) => void;
}

export interface OpenedDatabase {
  readonly db: PostgresDatabase;
  /** Where it is, for people: without a password. */
  readonly place: string;
  /** The migrations that were applied to open it. */
  readonly applied: readonly Migration[];
}

const defaultStartTimeoutMs = 8000;
/** How long one try to connect may take, and how long until the next, in milliseconds. */
const tryTimeoutMs = 2000;
const pauseMs = 200;

/**
 * What passes by itself when the server comes up: SQLSTATEs and errors of the system and the driver. The others are
 * refusals.
 */
const transientStates = /^(57P03|53300)$/;
const transientErrors = /^E(?!RR_)|timeout|terminated/;

/**
 * Connects to PostgreSQL, with its schema brought up to date.
 *
 * @throws StartError within about 10 s if it does not answer, and at once if it refuses; without the password.
 */
export async function openDatabase(options: OpenOptions): Promise<OpenedDatabase> {
  const { url, migrations, clock, report, startTimeoutMs = defaultStartTimeoutMs } = options;
  let place = 'the database';
  let client: Client | undefined;
  try {
    place = placeOf(url);
    client = await connect(url, startTimeoutMs);
    await requireUnicode(client, place);
    const applied = await migrate(client, { migrations, place, timeoutMs: startTimeoutMs });
    const outages = new OutageLog(place, clock, report);
    return { db: new PostgresDatabase(options, outages), place, applied };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${place} cannot be used: ${reasonOf(error)}. See DATABASE_URL.`, { cause: error });
  } finally {
    if (client !== undefined) await closeConnections(client.end(), [client]);
  }
}

function placeOf(url: string): string {
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
      // It waits for the lock of another process that migrates, and little longer.
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

/** Names are any Unicode and come back byte for byte, which no other encoding can promise. */
async function requireUnicode(client: Client, place: string): Promise<void> {
  const { rows } = await client.query<{ server: string; client: string }>(
    `SELECT current_setting('server_encoding') AS server, current_setting('client_encoding') AS client`,
  );
  const [encodings] = rows;
  if (encodings?.server === 'UTF8' && encodings.client === 'UTF8') return;
  throw new StartError(`${place} is encoded in ${String(encodings?.server)}. Create it with ENCODING 'UTF8'.`);
}
