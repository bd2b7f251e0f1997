import { setTimeout as delay } from 'node:timers/promises';
import { type Client, type ClientBase, Pool, type PoolClient, TypeOverrides, types } from 'pg';
import { TimeoutError, withTimeout } from '../../lib/timeout.js';
import { storeUnavailable } from '../../openapi/api-error.js';
import type { OutageLog } from '../outage-log.js';
import { invalidatesPool, type Outage, outageOf, reasonOf } from './outage.js';

/** A statement that is prepared once per connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** How long to wait for what, in milliseconds; 0 stands for ever. */
export interface Timeouts {
  /** For a connection: a free one of the pool, or another one. */
  readonly connectMs: number;
  /** For a lock, and for a statement as a whole: the server gives up, and nothing has happened. */
  readonly lockMs: number;
  readonly statementMs: number;
  /** For the server itself. Then nobody knows what has happened. */
  readonly responseMs: number;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly timeouts: Timeouts;
  readonly connectionsMax: number;
}

/** How long a statement is tried again, and how long between two tries, in milliseconds. */
const retryMs = 500;
const pauseMs = 20;
/** How long the server may take to close connections, in milliseconds: less than a step of the shutdown. */
const closeTimeoutMs = 400;
/** How often at most all connections are given up together, in milliseconds. */
const failoverPauseMs = 1000;

/** Every 64-bit integer that is read by itself is an id or a time; the categories are read within JSON text. */
const exactTypes = new TypeOverrides();
exactTypes.setTypeParser(types.builtins.INT8, Number);

const settings = `
  SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', '10s', false),
    -- A commit is answered once it is on disk. Whoever wants a standby to have it too has asked for more than that.
    set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
    set_config('default_transaction_isolation', 'read committed', false),
    -- Each plan is made once, perhaps while the tables are empty; and what is looked up stands in an index, in the order in which it is wanted.
    set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false),
    set_config('enable_seqscan', 'off', false), set_config('enable_sort', 'off', false)`;

/**
 * PostgreSQL as the stores use it. Each statement is a transaction of its own, so a process that stalls never holds a
 * lock. Throws a `store_unavailable` ApiError when the database does not answer in time, is full, read-only or gone.
 */
export class PostgresDatabase {
  private readonly pool: Pool;
  private readonly openedAt = new WeakMap<ClientBase, number>();
  private readonly clients = new Set<PoolClient>();
  private readonly sessions = new Set<PostgresSession>();
  /**
   * Connections from before this moment may lead to a server that is no longer the one that answers, or that takes
   * writes.
   */
  private staleBefore = 0;

  /** Whether the last statement was answered. */
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
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for the promise, which its types do not say
      onConnect: (client) => client.query(settings, [String(timeouts.statementMs), String(timeouts.lockMs)]),
    });
    // A connection that is lost while nobody uses it is replaced when somebody needs one.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => this.onConnect(client));
    this.pool.on('remove', (client) => this.clients.delete(client));
  }

  /** Runs a statement that changes nothing; once more, if its connection is lost meanwhile. */
  read<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.run(statement, values, true);
  }

  /** Runs a statement. When it resolves, what it has changed is on disk; when it is refused, that may be so too. */
  write<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.run(statement, values, false);
  }

  /** A connection of one's own, until it is ended. */
  async session(): Promise<PostgresSession> {
    const client = await this.acquire().catch((error: unknown) => {
      throw this.toApiError(error);
    });
    const session = new PostgresSession(client, {
      onEnd: () => this.sessions.delete(session),
      judge: (error) => this.toApiError(error),
    });
    this.sessions.add(session);
    return session;
  }

  /** Notices that trouble is over. To be called every second, by a service that asks something every second. */
  checkRecovery(): void {
    this.outages.endIf(() => this.isAvailable);
  }

  /** Ends every connection; one whose server does not even say goodbye keeps nobody from leaving. */
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
        const outage = outageOf(error);
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
    // Whatever happens to a connection while it is used fails the statement; the event beside it must not end the
    // process.
    client.on('error', () => undefined);
  }

  /** What a failure means for whoever asked. A defect of ours stays what it is. */
  private toApiError(error: unknown): unknown {
    if (outageOf(error) === undefined) return error;
    this.isAvailable = false;
    this.outages.record(reasonOf(error));
    return storeUnavailable(error);
  }

  /** Whether a connection that met an error is of no use any more. */
  private isUnusable(error: unknown, outage: Outage | undefined): boolean {
    if (!invalidatesPool(error)) return outage === 'connection lost' || outage === 'broken session';
    const now = performance.now();
    if (now - this.staleBefore >= failoverPauseMs) this.staleBefore = now;
    return true;
  }
}

/** One connection. What is temporary in it vanishes with it. */
export class PostgresSession {
  private isOpen = true;

  constructor(
    private readonly client: PoolClient,
    private readonly owner: { onEnd(): void; judge(error: unknown): unknown },
  ) {}

  async run<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      return await query<Row>(this.client, statement, values);
    } catch (error) {
      if (outageOf(error) !== undefined) this.end();
      throw this.owner.judge(error);
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
