import Database from 'better-sqlite3';
import { ApiError, storeUnavailable } from '../../lib/errors.js';
import { DatabaseLockedError, withRetry } from '../lock-retry.js';
import type { OutageLog } from '../outage-log.js';
import { AttachedFile } from './attached-file.js';
import { isDiskFull, openSqliteDatabase, type SqliteOptions } from './connection.js';
import { SharedRead } from './shared-read.js';

export interface StoreDatabaseOptions extends SqliteOptions {
  /**
   * Whether to open an existing file on a full disk, for reads. It is locked for other processes until there is space.
   */
  readonly readsOnFullDisk?: boolean;
  /** Called with every statement. */
  readonly verbose?: (sql: unknown) => void;
}

/** SQLite's primary result codes for failures of the storage, not of the statement (sqlite.org/rescode.html). */
const storageErrors = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CORRUPT|CANTOPEN|NOTADB|PERM|NOLFS|PROTOCOL)(_|$)/;
const lockErrors = /^SQLITE_(BUSY|LOCKED)/;
const damage = /^SQLITE_(CORRUPT|NOTADB)/;

const fullReason = 'the disk is full';
const lostReason =
  'it was moved, deleted or replaced; stop the server, put it back or restore a backup, and start the server';

/**
 * A database file, attached to an in-memory SQLite connection: once a full disk has space again, the file is reopened
 * for writes while stores keep their prepared statements. Stores run these through `read`, `run` and `commit`, which
 * throw an ApiError `store_unavailable` while the file is unavailable.
 */
export class StoreDatabase {
  readonly connection: Database.Database;
  readonly prepare: Database.Database['prepare'];
  private readonly transact: Database.Transaction<(run: () => unknown) => unknown>;
  private readonly sharedRead: SharedRead;
  private file: AttachedFile | undefined;
  private wasAttached = false;
  /** Whether the file was opened on a full disk, locked for other processes. */
  private isOnFullDisk = false;
  /** Whether the file was moved, deleted or replaced. Then nothing is read or written until a restart. */
  private isLost = false;
  /** The error that SQLite reported for a damaged file. Then nothing is written until a restart. */
  private damage: string | undefined;

  /** @throws StartError if the file belongs to another program or a newer release, or cannot be opened. */
  constructor(
    private readonly options: StoreDatabaseOptions,
    private readonly outages: OutageLog,
  ) {
    const { lockTimeoutMs: timeout, verbose } = options;
    // Also applies to attached files: a deleted file is never recreated.
    this.connection = new Database(':memory:', { timeout, fileMustExist: true, ...(verbose && { verbose }) });
    this.connection.pragma('foreign_keys = ON');
    this.prepare = (sql: string) => this.connection.prepare(sql);
    this.transact = this.connection.transaction((run: () => unknown) => run());
    this.sharedRead = new SharedRead(this.connection);
    try {
      this.attach(openSqliteDatabase(options));
    } catch (error) {
      if (options.readsOnFullDisk !== true || !isDiskFull((error as Error).cause)) throw error;
      this.attachOnFullDisk();
    }
  }

  /** Runs statements that only read. Those of a tick share a transaction. @throws ApiError `store_unavailable` */
  read<T>(run: () => T): Promise<T> {
    return withRetry(() =>
      this.tryRun(() => {
        this.sharedRead.join();
        return run();
      }),
    );
  }

  /** Runs statements without a transaction, and retries while they are locked. @throws ApiError `store_unavailable` */
  run<T>(run: () => T): Promise<T> {
    return withRetry(() =>
      this.tryRun(() => {
        this.sharedRead.end();
        return run();
      }),
    );
  }

  /** Runs statements in one transaction, and retries while it is locked. @throws ApiError `store_unavailable` */
  commit<T>(run: () => T): Promise<T> {
    return withRetry(() => this.tryCommit(run));
  }

  /** Runs statements in one transaction, once. @throws DatabaseLockedError, or ApiError `store_unavailable` */
  tryCommit<T>(run: () => T): T {
    if (this.damage !== undefined) throw this.unavailable(this.damage);
    const result = this.tryRun(() => {
      this.sharedRead.end();
      return this.transact.immediate(run) as T;
    });
    // An acknowledged write must exist after a restart.
    if (this.file?.isInPlace() !== true) throw this.markLost();
    return result;
  }

  /**
   * Checks that the file is in place, unlocks it once the disk is no longer full, and reports the end of an outage. A
   * server calls it every second.
   */
  check(): void {
    if (this.isLost) return;
    if (this.file?.isInPlace() === false) this.markLost();
    else if (this.isOnFullDisk) this.leaveFullDisk();
    else this.outages.endIf(() => this.isWritable());
  }

  close(): void {
    this.file = undefined;
    this.connection.close();
  }

  private tryRun<T>(run: () => T): T {
    if (this.isLost) throw this.unavailable(lostReason);
    if (this.file === undefined) throw this.unavailable(this.isOnFullDisk ? fullReason : 'it is closed');
    try {
      return run();
    } catch (error) {
      throw this.toApiError(error);
    }
  }

  /** Converts failures of the storage. Other errors are returned unchanged. */
  private toApiError(error: unknown): unknown {
    if (!(error instanceof Database.SqliteError) || !storageErrors.test(error.code)) return error;
    const reason = `${error.message} (${error.code})`;
    if (lockErrors.test(error.code)) return new DatabaseLockedError(() => this.unavailable(reason, error));
    if (damage.test(error.code)) this.damage ??= reason;
    return this.unavailable(reason, error);
  }

  private unavailable(reason: string, cause: unknown = new Error(`${this.options.fileName}: ${reason}`)): ApiError {
    this.outages.record(reason);
    return storeUnavailable(cause);
  }

  private markLost(): ApiError {
    this.isLost = true;
    try {
      // Then the file contains every acknowledged write, even if its log was deleted or left behind.
      if (this.damage === undefined) this.file?.checkpoint();
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
    }
    return this.unavailable(lostReason);
  }

  /** Opens an existing file for reads. @throws StartError if there is none. */
  private attachOnFullDisk(options: SqliteOptions = this.options): void {
    this.outages.record(fullReason);
    this.isOnFullDisk = true;
    try {
      this.attach(openSqliteDatabase({ ...options, isExclusive: true }), true);
    } catch (error) {
      if (!this.wasAttached) throw error;
    }
  }

  /** Reopens the file for all processes if there is space. */
  private leaveFullDisk(): void {
    if (this.file !== undefined && !this.isWritable()) return;
    this.file?.detach();
    this.file = undefined;
    const options = { ...this.options, startTimeoutMs: 0 };
    try {
      this.attach(openSqliteDatabase(options));
      this.isOnFullDisk = false;
    } catch {
      this.attachOnFullDisk(options);
    }
  }

  /** @param opener is an open connection to the file. */
  private attach(opener: Database.Database, isExclusive = false): void {
    this.file = new AttachedFile(this.connection, opener, isExclusive);
    this.wasAttached = true;
  }

  private isWritable(): boolean {
    try {
      this.tryCommit(() => this.file?.rewriteVersion());
      return true;
    } catch (error) {
      if (error instanceof DatabaseLockedError || error instanceof ApiError) return false;
      throw error;
    }
  }
}
