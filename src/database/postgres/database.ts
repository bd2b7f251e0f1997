import { setTimeout as delay } from 'node:timers/promises';
import { type Client, type ClientBase, Pool, type PoolClient, TypeOverrides, types } from 'pg';
import { reasonOf, storeUnavailable } from '../../lib/errors.js';
import { TimeoutError, withTimeout } from '../../lib/timeout.js';
import type { OutageLog } from '../outage-log.js';
import { classifyFailure, type FailureKind, invalidatesPool, isConnectionLimit } from './failure-kind.js';

/** A prepared statement. Each connection prepares it once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Timeouts in milliseconds; 0 disables one. */
export interface Timeouts {
  /** For a connection of the pool, or a new one. */
  readonly connectMs: number;
  /**
   * For a lock, and for a whole statement. The server cancels it, and nothing is written. If undefined, the settings of
   * the role apply; otherwise each statement is sent with its own `BEGIN` and `COMMIT`.
   */
  readonly ofTransaction?: { readonly lockMs: number; readonly statementMs: number };
  /** For the response of the server. Whether the statement was committed is then unknown. */
  readonly responseMs: number;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly timeouts: Timeouts;
  readonly connectionsMax: number;
}

/** How long a statement is retried, and the pause between two attempts, in milliseconds. */
const retryMs = 500;
const pauseMs = 20;
/** How long the server may take to close connections, in milliseconds: less than a step of the shutdown. */
const closeTimeoutMs = 400;
/** Minimum time between two invalidations of the whole pool, in milliseconds. */
const failoverPauseMs = 1000;

/** Columns of type bigint are ids or times, which are safe integers; category ids are read as JSON text. */
const exactTypes = new TypeOverrides();
exactTypes.setTypeParser(types.builtins.INT8, Number);

/** Also cancels a statement whose client has disconnected. PostgreSQL supports this since version 14. */
const setTimeouts = `
  SELECT set_config(name, CASE name WHEN 'statement_timeout' THEN $1 WHEN 'lock_timeout' THEN $2 ELSE '500ms' END, true)
  FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout', 'client_connection_check_interval')`;

/**
 * A connection pool. Each statement is its own transaction, so that a process that stalls holds no lock. Methods
 * throw an ApiError `store_unavailable` if the database does not respond in time, is full, read-only or unreachable.
 */
export class PostgresDatabase {
  private readonly pool: Pool;
  private readonly timeouts: Timeouts;
  private readonly openedAt = new WeakMap<ClientBase, number>();
  private readonly clients = new Set<PoolClient>();
  /** Connections opened before this time are not used: after a failover, they may lead to the former primary. */
  private staleBefore = 0;

  /** Whether the last statement succeeded. */
  private isAvailable = true;

  constructor(
    { url, timeouts, connectionsMax }: DatabaseOptions,
    private readonly outages: OutageLog,
  ) {
    this.timeouts = timeouts;
    this.pool = new Pool({
      connectionString: url,
      application_name: 'petstore',
      max: connectionsMax,
      connectionTimeoutMillis: timeouts.connectMs,
      query_timeout: timeouts.responseMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types: exactTypes,
    });
    // A lost idle connection is replaced when one is needed.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => this.onConnect(client));
    this.pool.on('remove', (client) => this.clients.delete(client));
  }

  /** Runs a statement that writes nothing. It is retried if its connection is lost. */
  read<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.run(statement, values, true, undefined);
  }

  /**
   * Runs a statement that writes. Once it resolves, the changes are on disk; if it rejects, they may be, too.
   *
   * @param lock a statement without values that takes locks first, in the same transaction.
   */
  write<Row extends readonly unknown[]>(
    statement: Statement,
    values: readonly unknown[],
    lock?: Statement,
  ): Promise<Row[]> {
    return this.run(statement, values, false, lock);
  }

  /** Reports the end of an outage. A server calls it every second. */
  checkRecovery(): void {
    this.outages.endIf(() => this.isAvailable);
  }

  /** Closes every connection, also if the server does not respond. */
  async close(): Promise<void> {
    await closeConnections(this.pool.end(), this.clients);
  }

  private async run<Row extends readonly unknown[]>(
    statement: Statement,
    values: readonly unknown[],
    isRead: boolean,
    lock: Statement | undefined,
  ): Promise<Row[]> {
    const startedAt = performance.now();
    for (;;) {
      let client: PoolClient | undefined;
      try {
        client = await this.acquire();
        const rows = await this.execute<Row>(client, statement, values, lock);
        client.release();
        this.isAvailable = true;
        return rows;
      } catch (error) {
        const failureKind = classifyFailure(error);
        client?.release(this.isUnusable(error, failureKind));
        const mayRetry = client === undefined ? isConnectionLimit(error) : mayRunAgain(failureKind, isRead);
        if (!mayRetry || performance.now() - startedAt >= retryMs) throw this.toApiError(error);
      }
      await delay(pauseMs);
    }
  }

  private execute<Row extends readonly unknown[]>(
    client: ClientBase,
    statement: Statement,
    values: readonly unknown[],
    lock: Statement | undefined,
  ): Promise<Row[]> {
    return this.timeouts.ofTransaction === undefined && lock === undefined
      ? query(client, statement, values)
      : this.runTransaction(client, statement, values, lock);
  }

  private async runTransaction<Row extends readonly unknown[]>(
    client: ClientBase,
    statement: Statement,
    values: readonly unknown[],
    lock: Statement | undefined,
  ): Promise<Row[]> {
    const { ofTransaction } = this.timeouts;
    await client.query('BEGIN');
    try {
      if (ofTransaction !== undefined) {
        await client.query(setTimeouts, [String(ofTransaction.statementMs), String(ofTransaction.lockMs)]);
      }
      if (lock !== undefined) await query(client, lock, []);
      const rows = await query<Row>(client, statement, values);
      await client.query('COMMIT');
      return rows;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  private async acquire(): Promise<PoolClient> {
    for (;;) {
      const client = await this.pool.connect();
      if ((this.openedAt.get(client) ?? 0) >= this.staleBefore) return client;
      client.release(true);
    }
  }

  private onConnect(client: PoolClient): void {
    this.openedAt.set(client, performance.now());
    this.clients.add(client);
    // The statement fails as well; the event must not end the process.
    client.on('error', () => undefined);
  }

  /** Converts failures of the database. Other errors are returned unchanged. */
  private toApiError(error: unknown): unknown {
    if (classifyFailure(error) === undefined) return error;
    this.isAvailable = false;
    this.outages.record(reasonOf(error));
    return storeUnavailable(error);
  }

  /** Whether to close the connection after an error. */
  private isUnusable(error: unknown, failureKind: FailureKind | undefined): boolean {
    if (!invalidatesPool(error)) return failureKind === 'connection lost' || failureKind === 'broken session';
    const now = performance.now();
    if (now - this.staleBefore >= failoverPauseMs) this.staleBefore = now;
    return true;
  }
}

/** Whether a statement that failed can be run again: it was not executed, or is a read. */
function mayRunAgain(failureKind: FailureKind | undefined, isRead: boolean): boolean {
  const isUndone = failureKind === 'conflict' || failureKind === 'broken session';
  return isUndone || (isRead && failureKind === 'connection lost');
}

async function query<Row extends readonly unknown[]>(
  client: ClientBase,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await client.query<Row & unknown[]>({ name, text, values: [...values], rowMode: 'array' });
  return rows;
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
