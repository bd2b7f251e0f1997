import { reasonOf } from '@contract-server/core/lib/errors.js';
import { DatabaseError, Pool, type PoolClient, type QueryResult, TypeOverrides, types } from 'pg';
import { withTimeout } from '../../lib/timeout.js';
import type { MigrationResult } from '../migrations.js';
import type { OutageLog } from '../outage-log.js';
import type { Queryable } from '../queryable.js';
import { clientConfigOf } from './client-config.js';
import type { PgPool } from './pg-pool.js';
import type { Statement } from './statement.js';
import { type PostgresTransaction, runTransaction } from './transaction.js';

/** Timeouts in milliseconds; 0 disables one. */
export interface Timeouts {
  /** For a connection. */
  readonly connectMs: number;
  /** For a lock, and for a whole statement, which PostgreSQL cancels: nothing is written. */
  readonly lockMs: number;
  /** Also for the time between two statements of a transaction, which PostgreSQL then rolls back. */
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

/** Exact integers: a bigint only beyond 2^53 − 1. */
const exactTypes = new TypeOverrides();
exactTypes.setTypeParser(types.builtins.INT8, (text) => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
});

/** A connection pool. Outside `transaction`, each statement is one, so that a process that stalls holds no lock. */
export class PostgresDatabase implements Queryable {
  readonly engine = 'postgres';
  private readonly connection;
  private current: Pool;
  /**
   * The connections, for libraries that take a pool of `pg`. Errors are those of `pg`, and the service ends it. It
   * stands for the current pool, which is replaced after a failover.
   */
  readonly pool: PgPool = new Proxy(Object.create(Pool.prototype) as Pool, {
    get: (_target, name) => {
      const member: unknown = Reflect.get(this.current, name);
      return typeof member === 'function' ? (member.bind(this.current) as unknown) : member;
    },
  });

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
    this.connection = clientConfigOf(options.url);
    this.current = this.createPool();
  }

  /**
   * As `Queryable` says. If it rejects, the statement may have been committed.
   *
   * @param statement a text, or a prepared statement, which saves parsing and planning.
   */
  async query<Row extends object>(statement: string | Statement, values?: readonly unknown[]): Promise<Row[]> {
    return (await this.send<Row>(this.current, this.current, statement, values)).rows;
  }

  /** As `Queryable` says. If it rejects, the statement may have been committed. */
  async execute(statement: string | Statement, values?: readonly unknown[]): Promise<number> {
    return (await this.send(this.current, this.current, statement, values)).rowCount ?? 0;
  }

  /**
   * Runs a function with the statements of one transaction. Resolves when it is on disk. If the function throws,
   * nothing is written; if the commit is unavailable, it may have been. Await only statements in the function, because
   * PostgreSQL ends a transaction that pauses for more than a second.
   */
  async transaction<T>(run: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    const pool = this.current;
    const client = await this.attempt(pool, () => pool.connect());
    return runTransaction(client, (statement, values) => this.send(pool, client, statement, values), run);
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
    await withTimeout(this.current.end(), closeTimeoutMs).catch(() => undefined);
  }

  private send<Row extends object>(
    pool: Pool,
    connection: Pool | PoolClient,
    statement: string | Statement,
    values: readonly unknown[] = [],
  ): Promise<QueryResult<Row>> {
    const named = typeof statement === 'string' ? { text: statement } : statement;
    // Without this mode, which the types of the driver lack, a text without values could have several statements.
    const config = { ...named, values: [...values], ...{ queryMode: 'extended' } };
    return this.attempt(pool, () => connection.query<Row>(config));
  }

  private async attempt<T>(pool: Pool, run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      this.outages.recordSuccess();
      return result;
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (invalidatesPool(error) && pool === this.current && !pool.ending) {
        this.current = this.createPool();
        void pool.end();
      }
      throw this.outages.recordFailure(describeOutage(error), error);
    }
  }

  private createPool(): Pool {
    const { applicationName, connectionsMax, timeouts } = this.options;
    const { connectMs, lockMs, statementMs, responseMs } = timeouts;
    const pool = new Pool({
      application_name: applicationName,
      ...this.connection,
      max: connectionsMax,
      connectionTimeoutMillis: connectMs,
      query_timeout: responseMs,
      idleTimeoutMillis: 60_000,
      allowExitOnIdle: true,
      types: exactTypes,
      // A statement, because poolers reject these settings as parameters of a connection.
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for the promise.
      onConnect: async (client) => {
        await client.query(`SET lock_timeout = ${String(lockMs)}; SET statement_timeout = ${String(statementMs)};
          SET idle_in_transaction_session_timeout = ${String(statementMs)}`);
      },
    });
    // A lost idle connection is replaced when one is needed.
    return pool.on('error', () => undefined);
  }
}

/**
 * The SQLSTATEs (postgresql.org/docs/current/errcodes-appendix.html) of defects of the service: invalid data, violated
 * constraints and wrong SQL. All others are outages; so are exhausted ids (2200H), a standby or an idle session (25006,
 * 25P03), a changed role (28), and a missing permission or table (42501, 42P01), which an operator may restore. A lost
 * prepared statement (26000, 42P05) is an outage too, because a pooler causes it.
 */
const defects = /^(2(?!200H|5006|5P03|6000|8)|42(?!501|P01|P05)|44|P0)/;
const lostStatements = /^(26000|42P05)$/;

/** Whether the database, and not the statement, is the cause of an error. */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseError) return !defects.test(error.code ?? '') && !hasWrongValueCount(error);
  // All other errors of the driver are about a connection.
  return !(error instanceof TypeError || error instanceof RangeError);
}

/** A wrong number of values is a defect, although PostgreSQL reports it as a protocol violation (08P01). */
function hasWrongValueCount({ code, routine }: DatabaseError): boolean {
  return code === '08P01' && routine === 'exec_bind_message';
}

function describeOutage(error: unknown): string {
  const isPooler = error instanceof DatabaseError && lostStatements.test(error.code ?? '');
  return isPooler ? `${reasonOf(error)}; a pooler must be in session mode` : reasonOf(error);
}

/**
 * Whether the other connections are as unusable as the one that failed: their prepared statements are outdated, or they
 * lead to a server that rejects writes (after a failover) or does not respond (its host is down).
 */
function invalidatesPool(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(0A000|25006)$/.test(error.code ?? '');
  return (error as Error).message === 'Query read timeout';
}
