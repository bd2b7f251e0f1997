import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { Refusal, storeUnavailable } from '../../domain/refusal.js';
import { Locked } from '../locked.js';
import type { TroubleLog } from '../trouble-log.js';
import { AttachedFile } from './attached-file.js';
import { isDiskFull, type OpenOptions, openDatabase } from './connection.js';
import { type ReplaceableOptions, Replacement } from './replacement.js';
import { withRetry } from './retry.js';

export interface StoreDatabaseOptions extends ReplaceableOptions {
  /**
   * Whether an open on a full disk succeeds if there is something to read: it locks every other process out until there
   * is room. A database that may be recreated is opened without a file if there is none.
   */
  readonly readsOnFullDisk?: boolean;
  /** Told every statement. */
  readonly verbose?: (sql: unknown) => void;
}

/** SQLite's primary result codes for trouble of the storage rather than of the statement (sqlite.org/rescode.html). */
const storageTrouble = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CORRUPT|CANTOPEN|NOTADB|PERM|NOLFS|PROTOCOL)(_|$)/;
const lock = /^SQLITE_(BUSY|LOCKED)/;
const damage = /^SQLITE_(CORRUPT|NOTADB)/;

const fullReason = 'the disk is full';
const movedReason = 'it was moved, deleted or replaced';

/**
 * A database that outlives its file. It answers `store_unavailable` while the file cannot be used, and goes on with whatever database of ours
 * the operator puts into its place. Stores prepare their statements once and run them through `run` and `commit`.
 */
export class StoreDatabase {
  readonly connection: Database.Database;
  readonly prepare: Database.Database['prepare'];
  /** How many files have stood behind it. */
  openings = 0;
  private readonly transact: Database.Transaction<(run: () => unknown) => unknown>;
  private readonly replacement: Replacement;
  /** What is open is read, even while nothing is committed to it. */
  private file: AttachedFile | undefined;
  /** Why nothing is committed. */
  private obstacle: string | undefined;
  /** Whether the disk was full when it was opened, and it was not opened for all processes since. */
  private isOnFullDisk = false;

  /** @throws StartError if the file is none of ours, was written by a newer version, or cannot be opened. */
  constructor(
    private readonly options: StoreDatabaseOptions,
    private readonly trouble: TroubleLog,
  ) {
    const { directory, fileName, lockTimeoutMs, verbose } = options;
    this.replacement = new Replacement(join(resolve(directory), fileName), options);
    // Where the file must exist, so must one that is attached: a file that is lost is never silently made anew.
    this.connection = new Database(':memory:', { timeout: lockTimeoutMs, fileMustExist: true, ...(verbose && { verbose }) });
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
  get isInTrouble(): boolean {
    return this.trouble.isOn;
  }

  /** Changes when another connection has written, and when another file stands behind it. */
  get version(): string {
    return `${String(this.openings)} ${String(this.file?.dataVersion)}`;
  }

  /** Runs statements. While another process holds a lock, tries again. @throws Refusal `store_unavailable` */
  run<T>(run: () => T): Promise<T> {
    return withRetry(() => this.tryRun(run));
  }

  /** The same, once, for whoever cannot wait. @throws Refusal `store_unavailable` */
  runNow<T>(run: () => T): T {
    try {
      return this.tryRun(run);
    } catch (error) {
      throw error instanceof Locked ? error.refuse() : error;
    }
  }

  /** Runs statements as one transaction, which is durable as `synchronous` says once this resolves. @throws Refusal `store_unavailable` */
  commit<T>(run: () => T, waitMs?: number): Promise<T> {
    return withRetry(() => this.tryCommit(run), waitMs);
  }

  /** The same, once. @throws Locked, or Refusal `store_unavailable` */
  tryCommit<T>(run: () => T): T {
    if (this.obstacle !== undefined) throw this.refuse(this.obstacle);
    const result = this.tryRun(() => this.transact.immediate(run) as T);
    // What is acknowledged must be there at the next start, so the path has to lead to where it was written.
    if (this.options.synchronous === 'FULL' && this.file?.seemsInPlace() !== true) throw this.refuse(this.stop(movedReason));
    return result;
  }

  /** Brings what was committed to the disk, off the event loop. @throws Refusal `store_unavailable` */
  async sync(): Promise<void> {
    if (this.file === undefined) return;
    try {
      const log = await open(this.file.logPath, 'r+');
      await log.datasync().finally(() => log.close());
    } catch (error) {
      throw this.refuse(`its log cannot be brought to the disk (${String((error as NodeJS.ErrnoException).code)})`, error);
    }
  }

  /**
   * Looks after the file: notices that it is not in its place any more, opens what the operator puts there, and notices that trouble is over. To
   * be called every second.
   *
   * @param hindrance why this process may not work on the directory, if it may not.
   */
  tend(hindrance?: string): void {
    if (hindrance === undefined && this.isOnFullDisk && this.file?.isInPlace() !== false) this.leaveFullDisk();
    else if (hindrance === undefined && this.obstacle === undefined && this.file?.isInPlace() === true) {
      this.trouble.endIf(() => this.isWritable());
    } else this.awaitReplacement(hindrance);
  }

  close(): void {
    if (!this.replacement.isDamaged && this.file?.isInPlace() === true) this.file.detach();
    else this.file?.abandon();
    this.file = undefined;
    this.connection.close();
  }

  private tryRun<T>(run: () => T): T {
    if (this.file === undefined) throw this.refuse(this.obstacle ?? movedReason);
    try {
      return run();
    } catch (error) {
      throw this.judge(error);
    }
  }

  /** What a failure means for whoever asked. A defect of ours stays what it is. */
  private judge(error: unknown): unknown {
    if (!(error instanceof Database.SqliteError) || !storageTrouble.test(error.code)) return error;
    const reason = `${error.message} (${error.code})`;
    if (lock.test(error.code)) return new Locked(() => this.refuse(reason, error));
    if (damage.test(error.code) && this.file?.isInPlace() === true) {
      this.replacement.markDamaged();
      this.stop(reason);
    }
    return this.refuse(reason, error);
  }

  private refuse(reason: string, cause: unknown = new Error(`${this.options.fileName}: ${reason}`)): Refusal {
    this.trouble.note(reason);
    return storeUnavailable(cause);
  }

  /** From here on nothing is committed, until another file is attached. */
  private stop(reason: string): string {
    this.trouble.note(reason);
    this.obstacle = reason;
    // Nothing is written to a damaged file. Its log stays, and the operator is told of it.
    if (this.replacement.isDamaged) return reason;
    try {
      // While it can be told which file the log belongs to. What cannot be done is tried again.
      this.file?.emptyLog();
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
    }
    return reason;
  }

  private awaitReplacement(hindrance: string | undefined): void {
    this.stop(hindrance ?? this.obstacle ?? movedReason);
    const isReady = this.replacement.isReady();
    if (hindrance === undefined && isReady) this.replace();
  }

  /** Lets the file that is open go for what is at its path, once that can be served. */
  private replace(): void {
    try {
      this.replacement.requireReplaceable(this.file);
      // With side files of the same names, which both would write, the one that is open has to be closed first.
      const opener = this.file?.sharesSideFiles === false ? this.replacement.open() : undefined;
      this.file?.abandon();
      this.file = undefined;
      this.attach(opener ?? this.replacement.open());
    } catch (error) {
      this.stop((error as Error).message.replace(/\.$/, ''));
    }
  }

  /** Reads what is there although the disk is full. @throws StartError if nothing is there. */
  private attachOnFullDisk(options: OpenOptions = this.options): void {
    this.trouble.note(fullReason);
    this.isOnFullDisk = true;
    try {
      this.attach(openDatabase({ ...options, isExclusive: true }), true);
    } catch (error) {
      const isStart = this.openings === 0;
      if (isStart && this.options.whenLost !== 'recreate') throw error;
      this.obstacle = fullReason;
    }
  }

  /** Lets other processes in again once there is room. */
  private leaveFullDisk(): void {
    if (this.file !== undefined && !this.isWritable()) return;
    this.file?.detach();
    this.file = undefined;
    const options = { ...this.options, startPatienceMs: 0 };
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
    this.obstacle = undefined;
    this.replacement.settle();
    this.openings += 1;
  }

  private isWritable(): boolean {
    try {
      this.tryCommit(() => this.file?.rewriteVersion());
      return true;
    } catch (error) {
      if (error instanceof Locked || error instanceof Refusal) return false;
      throw error;
    }
  }
}
