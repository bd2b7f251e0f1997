import { setTimeout as delay } from 'node:timers/promises';
import { type Client, type ClientBase, Pool, type PoolClient, TypeOverrides, types } from 'pg';
import { TimeoutError, withTimeout } from '../../lib/timeout.js';
import { storeUnavailable } from '../../openapi/api-error.js';
import type { OutageLog } from '../outage-log.js';
import { type FailureKind, failureKindOf, invalidatesPool, reasonOf } from './outage.js';

/** A prepared statement. Each connection prepares it once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Timeouts in milliseconds; 0 disables one. */
export interface Timeouts {
  /** For a connection of the pool, or a new one. */
  readonly connectMs: number;
  /** For a lock, and for a whole statement. The server cancels it, and nothing is written. */
  readonly lockMs: number;
  readonly statementMs: number;
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

const settings = `
  SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', '10s', false),
    -- A commit is on disk before it is acknowledged. A stricter setting, such as waiting for a standby, is kept.
    set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
    set_config('default_transaction_isolation', 'read committed', false),
    -- Each plan is made once, perhaps while the tables are empty. Every query can use an index that has the order that
    -- it needs.
    set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false),
    set_config('enable_seqscan', 'off', false), set_config('enable_sort', 'off', false)`;

/**
 * A connection pool. Each statement is its own transaction, so that a process that stalls holds no lock. Methods
 * throw an ApiError `store_unavailable` if the database does not respond in time, is full, read-only or unreachable.
 */
export class PostgresDatabase {
  private readonly pool: Pool;
  private readonly openedAt = new WeakMap<ClientBase, number>();
  private readonly clients = new Set<PoolClient>();
  private readonly sessions = new Set<PostgresSession>();
  /** Connections opened before this time are not used: after a failover, they may lead to the former primary. */
  private staleBefore = 0;

  /** Whether the last statement succeeded. */
  private isAvailable = true;

  constructor(
    { url, timeouts, connectionsMax }: DatabaseOptions,
    private readonly outages: OutageLog,
  ) {
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
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool awaits the promise
      onConnect: (client) => client.query(settings, [String(timeouts.statementMs), String(timeouts.lockMs)]),
    });
    // A lost idle connection is replaced when one is needed.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => this.onConnect(client));
    this.pool.on('remove', (client) => this.clients.delete(client));
  }

  /** Runs a statement that writes nothing. It is retried if its connection is lost. */
  read<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.run(statement, values, true);
  }

  /** Runs a statement that writes. Once it resolves, the changes are on disk; if it rejects, they may be, too. */
  write<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.run(statement, values, false);
  }

  /** Reserves a connection until the session ends. */
  async session(): Promise<PostgresSession> {
    const client = await this.acquire().catch((error: unknown) => {
      throw this.toApiError(error);
    });
    const session = new PostgresSession(client, {
      onEnd: () => this.sessions.delete(session),
      toApiError: (error) => this.toApiError(error),
    });
    this.sessions.add(session);
    return session;
  }

  /** Reports the end of an outage. A server calls it every second. */
  checkRecovery(): void {
    this.outages.endIf(() => this.isAvailable);
  }

  /** Closes every connection, also if the server does not respond. */
  async close(): Promise<void> {
    for (const session of this.sessions) session.end();
    await closeConnections(this.pool.end(), this.clients);
  }

  private async run<Row extends readonly unknown[]>(
    statement: Statement,
    values: readonly unknown[],
    isRead: boolean,
  ): Promise<Row[]> {
    const startedAt = performance.now();
    for (;;) {
      let client: PoolClient | undefined;
      try {
        client = await this.acquire();
        const rows = await query<Row>(client, statement, values);
        client.release();
        this.isAvailable = true;
        return rows;
      } catch (error) {
        const outage = failureKindOf(error);
        client?.release(this.isUnusable(error, outage));
        const isUndone = outage === 'conflict' || outage === 'broken session';
        const mayRetry = isUndone || (isRead && client !== undefined && outage === 'connection lost');
        if (!mayRetry || performance.now() - startedAt >= retryMs) throw this.toApiError(error);
      }
      await delay(pauseMs);
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
    if (failureKindOf(error) === undefined) return error;
    this.isAvailable = false;
    this.outages.record(reasonOf(error));
    return storeUnavailable(error);
  }

  /** Whether to close the connection after an error. */
  private isUnusable(error: unknown, outage: FailureKind | undefined): boolean {
    if (!invalidatesPool(error)) return outage === 'connection lost' || outage === 'broken session';
    const now = performance.now();
    if (now - this.staleBefore >= failoverPauseMs) this.staleBefore = now;
    return true;
  }
}

/** A reserved connection. Its temporary tables are dropped when it ends. */
export class PostgresSession {
  private isOpen = true;

  constructor(
    private readonly client: PoolClient,
    private readonly owner: { onEnd(): void; toApiError(error: unknown): unknown },
  ) {}

  async run<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      return await query<Row>(this.client, statement, values);
    } catch (error) {
      if (failureKindOf(error) !== undefined) this.end();
      throw this.owner.toApiError(error);
    }
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.client.release(true);
    this.owner.onEnd();
  }
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
