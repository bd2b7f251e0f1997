import { type Client, Pool, type PoolClient, TypeOverrides, types } from 'pg';
import { reasonOf, storeUnavailable } from '../../lib/errors.js';
import { productName } from '../../lib/product.js';
import { TimeoutError, withTimeout } from '../../lib/timeout.js';
import type { MigrationResult } from '../migrations.js';
import type { OutageLog } from '../outage-log.js';
import { invalidatesPool, isConnectionLost, isOutage, mayReadAgain } from './failures.js';

/** A prepared statement. Each connection prepares it once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Timeouts in milliseconds; 0 disables one. */
export interface Timeouts {
  /** For a connection of the pool, or a new one. */
  readonly connectMs: number;
  /** For a lock, and for a whole statement. PostgreSQL cancels it, and nothing is written. */
  readonly lockMs: number;
  readonly statementMs: number;
  /** For the response. Whether the statement was committed is then unknown. */
  readonly responseMs: number;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly timeouts: Timeouts;
  readonly connectionsMax: number;
}

/** How long PostgreSQL may take to close connections, in milliseconds: less than a step of the shutdown. */
const closeTimeoutMs = 400;

/** Columns of type bigint are ids or times, which are safe integers; category ids are read as JSON text. */
const exactTypes = new TypeOverrides();
exactTypes.setTypeParser(types.builtins.INT8, Number);

/**
 * A connection pool. Each statement is its own transaction, so that a process that stalls holds no lock. Methods
 * throw an ApiError `store_unavailable` if the database does not respond in time, is full, read-only or unreachable.
 */
export class PostgresDatabase {
  private pool: Pool;
  private readonly clients = new Set<PoolClient>();
  /** Whether the last statement succeeded. */
  private isAvailable = true;

  /**
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

  /** Runs a statement that writes nothing. It is run again if the server ends its connection. */
  async read<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    try {
      return await this.run(statement, values);
    } catch (error) {
      if (!mayReadAgain(error)) throw this.toApiError(error);
    }
    return this.runOnce(statement, values);
  }

  /** Runs a statement that writes. Once it resolves, the changes are on disk; if it rejects, they may be, too. */
  write<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.runOnce(statement, values);
  }

  /** Reports the end of an outage. A server calls it every second. */
  check(): void {
    this.outages.endIf(() => this.isAvailable);
  }

  /** Closes every connection, also if the server does not respond. */
  async close(): Promise<void> {
    await closeConnections(this.pool.end(), this.clients);
  }

  private async runOnce<Row extends readonly unknown[]>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    try {
      return await this.run(statement, values);
    } catch (error) {
      throw this.toApiError(error);
    }
  }

  private async run<Row extends readonly unknown[]>(
    { name, text }: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const { pool } = this;
    const client = await pool.connect();
    try {
      const { rows } = await client.query<Row & unknown[]>({ name, text, values: [...values], rowMode: 'array' });
      client.release();
      this.isAvailable = true;
      return rows;
    } catch (error) {
      client.release(isConnectionLost(error));
      if (invalidatesPool(error) && pool === this.pool && !pool.ending) {
        this.pool = this.createPool();
        void pool.end();
      }
      throw error;
    }
  }

  private createPool(): Pool {
    const { url, connectionsMax } = this.options;
    const { connectMs, lockMs, statementMs, responseMs } = this.options.timeouts;
    const pool = new Pool({
      connectionString: url,
      application_name: productName,
      max: connectionsMax,
      connectionTimeoutMillis: connectMs,
      query_timeout: responseMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types: exactTypes,
      // A statement, because poolers reject these settings as parameters of a connection.
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for the promise.
      onConnect: async (client) => {
        await client.query(`SET lock_timeout = ${String(lockMs)}; SET statement_timeout = ${String(statementMs)}`);
      },
    });
    // A lost idle connection is replaced when one is needed.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      this.clients.add(client);
      // The statement fails as well; the event must not end the process.
      client.on('error', () => undefined);
    });
    pool.on('remove', (client) => this.clients.delete(client));
    return pool;
  }

  /** Converts failures of the database. Other errors are returned unchanged. */
  private toApiError(error: unknown): unknown {
    if (!isOutage(error)) return error;
    this.isAvailable = false;
    this.outages.record(reasonOf(error));
    return storeUnavailable(error);
  }
}

/** Waits until connections are closed, and destroys those that the server does not close in time. */
export async function closeConnections(closed: Promise<unknown>, clients: Iterable<Client>): Promise<void> {
  try {
    await withTimeout(closed, closeTimeoutMs);
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
  }
  for (const client of clients) client.connection.stream.destroy();
}
