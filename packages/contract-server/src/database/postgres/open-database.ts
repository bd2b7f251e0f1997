import type { Clock } from '@contract-server/core/lib/clock.js';
import { reasonOf, StartError } from '@contract-server/core/lib/errors.js';
import { Client, DatabaseError } from 'pg';
import { type Migration, type MigrationConnection, migrate, migrationTable, previewTable } from '../migrations.js';
import { OutageLog } from '../outage-log.js';
import { retry } from '../retry.js';
import { clientConfigOf } from './client-config.js';
import { type DatabaseOptions, PostgresDatabase } from './database.js';
import { requireSession, requireSettings, tryTimeoutMs } from './server-checks.js';

export interface PostgresOptions extends DatabaseOptions {
  readonly migrations: readonly Migration[];
  /** Whether the tables must exist. Default: they are created. */
  readonly mustExist?: boolean;
  /** Runs at every start, after the migrations. */
  readonly startSql?: string;
  /** How long to wait for a server that is starting, and for another process that migrates, in milliseconds. */
  readonly startTimeoutMs?: number;
  readonly clock: Clock;
  /** Receives outages. */
  readonly report: (outage: unknown) => void;
}

const defaultStartTimeoutMs = 8000;
/** The pause before another attempt to connect, in milliseconds. */
const pauseMs = 200;

/** SQLSTATEs of a server that is starting or full, and errors of the system and the driver. Others are permanent. */
const transientStates = /^(53300|57P03)$/;
const transientErrors = /^E(?!RR_)|timeout|terminated/;
/** Node's codes for certificates of an authority that it does not know. */
const unknownAuthorities = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.+)$/;

/** Connects to PostgreSQL and migrates the schema. @throws StartError as `usePostgres` does */
export function openPostgresDatabase(options: PostgresOptions): Promise<PostgresDatabase> {
  const { migrations, startSql = '', startTimeoutMs = defaultStartTimeoutMs } = options;
  return usePostgres(options, startTimeoutMs, async (client, location) => {
    const lockKey = lockKeyOf(options.applicationName);
    const connection = migrationConnectionOf(client, location, startTimeoutMs, lockKey);
    if (options.mustExist && !(await connection.hasTable(migrationTable)) && !(await connection.hasTable(previewTable)))
      throw new StartError(`${location} has no tables of the service. See DATABASE_URL.`);
    const results = await migrate(connection, migrations);
    await client.query(startSql);
    const outages = new OutageLog(location, options.clock, options.report);
    return new PostgresDatabase(options, location, results, outages);
  });
}

/**
 * Connects to PostgreSQL, checks its settings and uses the connection.
 *
 * @throws StartError within about 10 s if it does not respond, or at once if PostgreSQL rejects the connection, or if
 * the URL leads to a pooler in transaction mode.
 */
export async function usePostgres<T>(
  { url, applicationName }: Pick<DatabaseOptions, 'url' | 'applicationName'>,
  startTimeoutMs: number,
  use: (client: Client, location: string) => Promise<T>,
): Promise<T> {
  const config = clientConfigOf(url);
  let location = 'the database';
  const connect = async (): Promise<Client> => {
    const settings = { application_name: applicationName, keepAlive: true, ...config };
    const client = new Client({ ...settings, connectionTimeoutMillis: tryTimeoutMs });
    location = `PostgreSQL at ${client.host}:${String(client.port)}, database ${String(client.database)}`;
    try {
      // The statement fails as well; the event must not end the process.
      await client.on('error', () => undefined).connect();
      await requireSettings(client, location);
      return client;
    } catch (error) {
      await client.end();
      throw error;
    }
  };
  let client: Client | undefined;
  try {
    client = await retry(connect, isTransient, { timeoutMs: startTimeoutMs, pauseMs });
    await requireSession(client, connect, location);
    return await use(client, location);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${location} cannot be used: ${describeError(error)}. See DATABASE_URL.`, { cause: error });
  } finally {
    await client?.end();
  }
}

function isTransient(error: unknown): boolean {
  if (error instanceof StartError) return false;
  if (error instanceof DatabaseError) return transientStates.test(error.code ?? '');
  return transientErrors.test((error as NodeJS.ErrnoException).code ?? (error as Error).message);
}

function describeError(error: unknown): string {
  const isUnknown = unknownAuthorities.test((error as NodeJS.ErrnoException).code ?? '');
  return isUnknown ? `${reasonOf(error)}; set sslrootcert to the certificate of its authority` : reasonOf(error);
}

/** The key of the advisory lock of migrations: the first four letters of the name, in ASCII. */
function lockKeyOf(applicationName: string): number {
  return Buffer.from(applicationName.toUpperCase().padEnd(4)).readInt32BE();
}

function migrationConnectionOf(
  client: Client,
  location: string,
  timeoutMs: number,
  lockKey: number,
): MigrationConnection {
  const query = async (text: string) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
  return {
    location,
    hasTable: async (name) => (await query(`SELECT to_regclass('${name}')`))[0]?.[0] !== null,
    beginLocked: async () => {
      try {
        await client.query(`BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${String(timeoutMs)};
          SELECT pg_advisory_xact_lock(${String(lockKey)}); SET LOCAL lock_timeout = 0`);
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
