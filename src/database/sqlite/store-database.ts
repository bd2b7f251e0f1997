import { open } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { ApiError, storeUnavailable } from '../../openapi/api-error.js';
import { DatabaseLockedError, withRetry } from '../lock-retry.js';
import type { OutageLog } from '../outage-log.js';
import { AttachedFile } from './attached-file.js';
import { isDiskFull, type OpenOptions, openDatabase } from './connection.js';

export interface StoreDatabaseOptions extends OpenOptions {
  /**
   * Whether an open on a full disk succeeds if there is something to read: it locks every other process out until there
   * is room.
   */
  readonly readsOnFullDisk?: boolean;
  /** Whether an open on a full disk succeeds also if there is nothing to read. */
  readonly isOptional?: boolean;
  /** Told every statement. */
  readonly verbose?: (sql: unknown) => void;
}

/** SQLite's primary result codes for trouble of the storage rather than of the statement (sqlite.org/rescode.html). */
const storageErrors = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CORRUPT|CANTOPEN|NOTADB|PERM|NOLFS|PROTOCOL)(_|$)/;
const lockErrors = /^SQLITE_(BUSY|LOCKED)/;
const damage = /^SQLITE_(CORRUPT|NOTADB)/;

const fullReason = 'the disk is full';
const lostReason =
  'it was moved, deleted or replaced; stop the server, put it back or restore a backup, and start the server';

/**
 * A database file, attached to a connection in memory: so it can be opened again while stores keep the statements that
 * they have prepared. Stores run them through `run` and `commit`, which throw `store_unavailable` while the file cannot
 * be used.
 */
export class StoreDatabase {
  readonly connection: Database.Database;
  readonly prepare: Database.Database['prepare'];
  private readonly transact: Database.Transaction<(run: () => unknown) => unknown>;
  private file: AttachedFile | undefined;
  /** How many times the file was opened. */
  private openings = 0;
  /** Whether the disk was full when the file was opened, and it was not opened for all processes since. */
  private isOnFullDisk = false;
  /** Whether the path led to another file, or to none. Then nothing is read or written until a restart. */
  private isLost = false;
  /** The error that SQLite reported for a damaged file, to which nothing is written until the server is restarted. */
  private damage: string | undefined;

  /** @throws StartError if the file is none of ours, was written by a newer version, or cannot be opened. */
  constructor(
    private readonly options: StoreDatabaseOptions,
    private readonly outages: OutageLog,
  ) {
    const { lockTimeoutMs: timeout, verbose } = options;
    // Where this file must exist, so must one that is attached: a lost file is never recreated.
    this.connection = new Database(':memory:', { timeout, fileMustExist: true, ...(verbose && { verbose }) });
    this.connection.pragma('foreign_keys = ON');
    this.prepare = (sql: string) => this.connection.prepare(sql);
    this.transact = this.connection.transaction((run: () => unknown) => run());
    try {
      this.attach(openDatabase(options));
    } catch (error) {
      if (options.readsOnFullDisk !== true || !isDiskFull((error as Error).cause)) throw error;
      this.attachOnFullDisk();
    }
  }

  /** Whether there is a file behind it. */
  get isAttached(): boolean {
    return this.file !== undefined;
  }

  /** Whether it was in trouble lately. */
  get hasOutage(): boolean {
    return this.outages.isActive;
  }

  /** Changes when another connection has written. */
  get version(): string {
    return `${String(this.openings)} ${String(this.file?.dataVersion)}`;
  }

  /** Runs statements. While another process holds a lock, tries again. @throws ApiError `store_unavailable` */
  run<T>(run: () => T): Promise<T> {
    return withRetry(() => this.tryRun(run));
  }

  /** The same, once, for whoever cannot wait. @throws ApiError `store_unavailable` */
  runNow<T>(run: () => T): T {
    try {
      return this.tryRun(run);
    } catch (error) {
      throw error instanceof DatabaseLockedError ? error.toApiError() : error;
    }
  }

  /**
   * Runs statements as one transaction, which is durable as `synchronous` says once this resolves. @throws Refusal
   * `store_unavailable`
   */
  commit<T>(run: () => T, waitMs?: number): Promise<T> {
    return withRetry(() => this.tryCommit(run), waitMs);
  }

  /** The same, once. @throws Locked, or ApiError `store_unavailable` */
  tryCommit<T>(run: () => T): T {
    if (this.damage !== undefined) throw this.unavailable(this.damage);
    const result = this.tryRun(() => this.transact.immediate(run) as T);
    // What is acknowledged must be there at the next start.
    if (this.options.synchronous === 'FULL') this.requireInPlace();
    return result;
  }

  /** Brings what was committed to the disk, off the event loop. @throws ApiError `store_unavailable` */
  async sync(): Promise<void> {
    if (this.file === undefined || this.isLost) return;
    this.requireInPlace();
    try {
      const log = await open(this.file.logPath, 'r+');
      await log.datasync().finally(() => log.close());
    } catch (error) {
      throw this.unavailable(
        `its log cannot be brought to the disk (${String((error as NodeJS.ErrnoException).code)})`,
        error,
      );
    }
  }

  /**
   * Checks that the file is in its place, opens it for all processes once the disk is no longer full, and notices the
   * end of an outage. To be called every second by a server.
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

  /** What a failure means for whoever asked. A defect of ours stays what it is. */
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

  /** @throws ApiError `store_unavailable` if the path does not lead to the open file. */
  private requireInPlace(): void {
    if (this.file?.isInPlace() !== true) throw this.markLost();
  }

  /** From here on nothing is read or written. */
  private markLost(): ApiError {
    this.isLost = true;
    try {
      // What was acknowledged is then in the file, also if its log was deleted or left behind.
      if (this.damage === undefined) this.file?.checkpoint();
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
    }
    return this.unavailable(lostReason);
  }

  /** Reads what is there although the disk is full. @throws StartError if nothing is there. */
  private attachOnFullDisk(options: OpenOptions = this.options): void {
    this.outages.record(fullReason);
    this.isOnFullDisk = true;
    try {
      this.attach(openDatabase({ ...options, isExclusive: true }), true);
    } catch (error) {
      if (this.openings === 0 && this.options.isOptional !== true) throw error;
    }
  }

  /** Opens the file for all processes once there is room. */
  private leaveFullDisk(): void {
    if (this.file !== undefined && !this.isWritable()) return;
    this.file?.detach();
    this.file = undefined;
    const options = { ...this.options, startTimeoutMs: 0 };
    try {
      this.attach(openDatabase(options));
      this.isOnFullDisk = false;
    } catch {
      this.attachOnFullDisk(options);
    }
  }

  /** @param opener is an open connection to the file. */
  private attach(opener: Database.Database, isExclusive = false): void {
    this.file = new AttachedFile(this.connection, opener, { ...this.options, isExclusive });
    this.openings += 1;
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
