import { DatabaseError, Pool, TypeOverrides, types } from 'pg';
import { reasonOf } from '../../lib/errors.js';
import { withTimeout } from '../../lib/timeout.js';
import type { MigrationResult } from '../migrations.js';
import type { OutageLog } from '../outage-log.js';

/** A prepared statement. Each connection prepares it once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Timeouts in milliseconds; 0 disables one. */
export interface Timeouts {
  /** For a connection. */
  readonly connectMs: number;
  /** For a lock, and for a whole statement, which PostgreSQL cancels: nothing is written. */
  readonly lockMs: number;
  readonly statementMs: number;
  /** For the response. Whether the statement was committed is then unknown. */
  readonly responseMs: number;
}

export interface DatabaseOptions {
  /** The name of the service, for `pg_stat_activity`. */
  readonly applicationName: string;
  readonly url: string;
  readonly timeouts: Timeouts;
  readonly connectionsMax: number;
}

/** How long PostgreSQL may take to close connections, in milliseconds: less than a step of the shutdown. */
const closeTimeoutMs = 400;

/** Columns of type bigint are ids or times, which are safe integers; category ids are read as JSON text. */
const exactTypes = new TypeOverrides();
exactTypes.setTypeParser(types.builtins.INT8, Number);

/** A connection pool. Each statement is its own transaction, so that a process that stalls holds no lock. */
export class PostgresDatabase {
  readonly engine = 'postgres';
  private pool: Pool;

  /**
   * @internal
   * @param location host, port and database, without credentials.
   * @param migrations their state after the database was opened.
   */
  constructor(
    private readonly options: DatabaseOptions,
    readonly location: string,
    readonly migrations: readonly MigrationResult[],
    private readonly outages: OutageLog,
  ) {
    this.pool = this.createPool();
  }

  /**
   * Runs a statement. Once it resolves, its changes are on disk; if it rejects, they may be, too.
   *
   * @throws ApiError `store_unavailable` if the database does not respond in time, is full, read-only or unreachable.
   */
  async query<Row extends readonly unknown[]>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    const { pool } = this;
    try {
      const { rows } = await pool.query<Row & unknown[]>({ name, text, values: [...values], rowMode: 'array' });
      this.outages.recordSuccess();
      return rows;
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (invalidatesPool(error) && pool === this.pool && !pool.ending) {
        this.pool = this.createPool();
        void pool.end();
      }
      throw this.outages.recordFailure(reasonOf(error), error);
    }
  }

  /** Reports the end of an outage. A server calls it every second. @internal */
  check(): void {
    this.outages.check();
  }

  /**
   * Closes every connection. Only the timeout rejects: then those that are left do not keep the process alive.
   *
   * @internal
   */
  async close(): Promise<void> {
    await withTimeout(this.pool.end(), closeTimeoutMs).catch(() => undefined);
  }

  private createPool(): Pool {
    const { applicationName, url, connectionsMax, timeouts } = this.options;
    const { connectMs, lockMs, statementMs, responseMs } = timeouts;
    const pool = new Pool({
      connectionString: url,
      application_name: applicationName,
      max: connectionsMax,
      connectionTimeoutMillis: connectMs,
      query_timeout: responseMs,
      idleTimeoutMillis: 60_000,
      allowExitOnIdle: true,
      types: exactTypes,
      // A statement, because poolers reject these settings as parameters of a connection.
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for the promise.
      onConnect: async (client) => {
        await client.query(`SET lock_timeout = ${String(lockMs)}; SET statement_timeout = ${String(statementMs)}`);
      },
    });
    // A lost idle connection is replaced when one is needed.
    return pool.on('error', () => undefined);
  }
}

/**
 * The SQLSTATEs (postgresql.org/docs/current/errcodes-appendix.html) of defects of the service: invalid data, violated
 * constraints and wrong SQL. All others are outages; so are exhausted ids (2200H), a standby or an idle session (25006,
 * 25P03), a changed role (28), and a missing permission or table (42501, 42P01), which an operator may restore.
 */
const defects = /^(2(?!200H|5006|5P03|8)|42(?!501|P01)|44|P0)/;

/** Whether the database, and not the statement, is the cause of an error. */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseError) return !defects.test(error.code ?? '');
  // All other errors of the driver are about a connection.
  return !(error instanceof TypeError || error instanceof RangeError);
}

/**
 * Whether the other connections are as unusable as the one that failed: their prepared statements are outdated, or they
 * lead to a server that rejects writes (after a failover) or does not respond (its host is down).
 */
function invalidatesPool(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(0A000|25006)$/.test(error.code ?? '');
  return (error as Error).message === 'Query read timeout';
}
