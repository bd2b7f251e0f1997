import { realpathSync } from 'node:fs';
import type { ApiError } from '@contract-server/core/lib/errors.js';
import type Database from 'better-sqlite3';
import { findInode } from '../data-files.js';
import type { MigrationResult } from '../migrations.js';
import type { OutageLog } from '../outage-log.js';
import type { Queryable } from '../queryable.js';
import { retry } from '../retry.js';
import { isSqliteError } from './sqlite-error.js';
import { SqliteTransaction } from './transaction.js';

/**
 * How long a request waits for a lock of another process, and the pause between two attempts, in milliseconds. A
 * creation may also wait for the group before it.
 */
const lockRetry = { timeoutMs: 600, pauseMs: 10 };

/** SQLite's primary result codes for failures of the storage, not of the statement (sqlite.org/rescode.html). */
const storageErrors = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CORRUPT|CANTOPEN|NOTADB|PERM|NOLFS|PROTOCOL)(_|$)/;
const damageCodes = /^SQLITE_(CORRUPT|NOTADB)/;

const lostReason =
  'it was moved, deleted or replaced; put it back, or stop the server, restore a backup, and start the server';

/**
 * An open database file. Each method that returns a promise rejects with an ApiError `store_unavailable` while the file
 * is locked, full, damaged or not in place.
 */
export class SqliteDatabase implements Queryable {
  readonly engine = 'sqlite';
  private readonly statements: SqliteTransaction;
  private readonly transact: Database.Transaction<(run: () => unknown) => unknown>;
  private readonly files: readonly string[];
  private readonly identity: string;
  /** Whether the file and its write-ahead log were moved, deleted or replaced when this was last checked. */
  private isLost = false;
  /** SQLite's error about a damaged file, to which nothing is written until a restart. */
  private damage: InstanceType<typeof Database.SqliteError> | undefined;

  /**
   * @internal
   * @param connection that of better-sqlite3, for libraries that take one. Call them within `run` or `transaction`.
   * @param migrations their state after the file was opened.
   */
  constructor(
    readonly connection: Database.Database,
    readonly migrations: readonly MigrationResult[],
    private readonly outages: OutageLog,
  ) {
    this.statements = new SqliteTransaction(connection);
    this.transact = connection.transaction((run: () => unknown) => run());
    this.files = [connection.name, `${realpathSync(connection.name)}-wal`];
    this.identity = this.readIdentity();
  }

  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
    const query = () => this.statements.query<Row>(sql, values);
    return this.run(() => (this.statements.isReadOnly(sql) ? query() : this.commit(query)));
  }

  execute(sql: string, values?: readonly unknown[]): Promise<number> {
    return this.transaction((transaction) => transaction.execute(sql, values));
  }

  /**
   * Runs statements in one transaction: those of its parameter, and prepared ones. Resolves when it is on disk. If the
   * function throws, nothing is written. It cannot be asynchronous, because all requests share the connection.
   */
  transaction<T>(run: (transaction: SqliteTransaction) => T): Promise<T> {
    return this.run(() => this.commit(() => run(this.statements)));
  }

  /** Prepares a statement to run in `run` or `transaction`, with the API of better-sqlite3. */
  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(sql: string): Database.Statement<Parameters, Row> {
    return this.connection.prepare<Parameters, Row>(sql);
  }

  /**
   * Runs prepared statements without a transaction. While another process holds a lock, they fail at once and are run
   * again, so that they never block the event loop.
   */
  async run<T>(run: () => T): Promise<T> {
    if (this.isLost) throw this.recordLoss();
    try {
      return await retry(run, isLocked, lockRetry);
    } catch (error) {
      throw this.toApiError(error);
    }
  }

  /** Checks that the file is in place, and reports the end of an outage. A server calls it every second. @internal */
  check(): void {
    this.isLost = this.readIdentity() !== this.identity;
    if (this.isLost) this.recordLoss();
    this.outages.check();
  }

  /** @internal */
  close(): void {
    this.connection.close();
  }

  private commit<T>(run: () => T): T {
    if (this.damage !== undefined) throw this.damage;
    const result = this.transact.immediate(run) as T;
    this.outages.recordSuccess();
    return result;
  }

  /** Converts failures of the storage. Other errors are returned unchanged. */
  private toApiError(error: unknown): unknown {
    if (!isSqliteError(error) || !storageErrors.test(error.code)) return error;
    if (damageCodes.test(error.code)) this.damage ??= error;
    return this.outages.recordFailure(`${error.message} (${error.code})`, error);
  }

  private recordLoss(): ApiError {
    return this.outages.recordFailure(lostReason, new Error(`${this.connection.name}: ${lostReason}`));
  }

  private readIdentity(): string {
    return this.files.map(findInode).join();
  }
}

/** Why a file cannot be opened. A disk can also be too full for SQLite's side files. */
export function openFailureOf(error: unknown): string {
  const isDiskFull = isSqliteError(error) && /^SQLITE_(FULL|IOERR_SHMSIZE)$/.test(error.code);
  return isDiskFull ? 'the disk is full' : (error as Error).message;
}

/** Whether another process holds a lock, so that the statement can be run again. */
export function isLocked(error: unknown): boolean {
  return isSqliteError(error) && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}
