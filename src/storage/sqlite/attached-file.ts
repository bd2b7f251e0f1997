import { existsSync, realpathSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { OpenOptions } from './connection.js';
import { PlacedFile, statOf } from './placed-file.js';

/** The name under which the file is attached. */
const schema = 'store';

/**
 * A database file, attached to a connection. SQLite prepares the statements of the connection again by itself when another file takes its place.
 *
 * SQLite tidies up when the last connection to a file is closed: it brings the write-ahead log into the file and deletes the log by its name. Where that
 * name leads to another file by then, it must not. So a second connection, which can only read and never does, keeps the file open
 * until it is known how to part with it.
 */
export class AttachedFile {
  readonly path: string;
  /** Where the write-ahead log lies. */
  readonly logPath: string;
  private readonly file: PlacedFile;
  private readonly log: PlacedFile;
  /** SQLite's shared memory, in which every connection to the file looks up what is in the log. */
  private readonly index: PlacedFile | undefined;
  private readonly keeper: Database.Database | undefined;
  private isLogEmpty = false;

  /**
   * @param opener is an open connection to the file, which this closes.
   * @throws if the file cannot be had; the connection has none then.
   */
  constructor(
    private readonly connection: Database.Database,
    opener: Database.Database,
    options: Pick<OpenOptions, 'synchronous' | 'lockTimeoutMs' | 'isExclusive'>,
  ) {
    const { synchronous, lockTimeoutMs, isExclusive = false } = options;
    this.path = opener.name;
    let keeper: Database.Database | undefined;
    try {
      this.file = new PlacedFile(this.path);
      this.logPath = `${realpathSync(this.path)}-wal`;
      if (isExclusive) opener.close();
      connection.pragma(`locking_mode = ${isExclusive ? 'EXCLUSIVE' : 'NORMAL'}`);
      connection.prepare(`ATTACH ? AS ${schema}`).run(this.path);
      this.pragma(`synchronous = ${synchronous}`);
      if (!isExclusive) {
        this.keeper = keeper = new Database(this.path, { readonly: true, timeout: lockTimeoutMs });
        // With its first look it opens the log; from then on it holds the file.
        keeper.pragma('user_version');
        this.index = new PlacedFile(`${realpathSync(this.path)}-shm`);
      }
      this.log = new PlacedFile(this.logPath);
      if (!this.isInPlace()) throw new Error('it was exchanged while it was being opened');
      opener.close();
    } catch (error) {
      if (isAttached(connection)) connection.exec(`DETACH ${schema}`);
      // The keeper last, so that a file that was exchanged meanwhile is left alone.
      opener.close();
      keeper?.close();
      throw error;
    }
  }

  /** Changes when another connection has written. */
  get dataVersion(): unknown {
    return this.pragma('data_version');
  }

  /** Writes what is there already: whether that succeeds tells whether the file can be written. */
  rewriteVersion(): void {
    this.pragma(`user_version = ${String(this.pragma('user_version'))}`);
  }

  /** Whether the paths lead to what is open: only then does the next start find what is written. */
  isInPlace(): boolean {
    return this.file.isInPlace() && this.log.isInPlace();
  }

  /**
   * The same, for every commit. Whoever asks for the times of a file that is written makes Linux keep them to the nanosecond, and the next
   * sync dearer; so of the log it is only seen that there is one. Were it another, what is committed could still be saved.
   */
  seemsInPlace(): boolean {
    return this.file.isInPlace() && existsSync(this.logPath);
  }

  /**
   * Brings the log into the file that it belongs to, wherever that is, through what is open. Empty, it can harm no other file. To be
   * called once nothing is committed any more.
   */
  emptyLog(): void {
    if (this.isLogEmpty) return;
    const [result] = this.connection.pragma(`${schema}.wal_checkpoint(TRUNCATE)`) as { busy: number }[];
    this.isLogEmpty = result?.busy === 0;
  }

  /** Whether the path leads to this very file, whatever became of its log. */
  get isAtPath(): boolean {
    return this.file.isInPlace();
  }

  /** Whether a file at the path would be opened with the side files of this one, which only one connection may do at a time. */
  get sharesSideFiles(): boolean {
    return this.isAtPath || this.log.isInPlace() || this.index?.isInPlace() === true;
  }

  /** Whether its log lies where SQLite would take it for that of whatever file is at the path. It would destroy any other. */
  get leavesLogBehind(): boolean {
    return this.log.isInPlace() && statOf(this.logPath)?.size !== 0n;
  }

  /** Whether parting with it would lose what was written last: the log is not in its place, and has not been brought into the file. */
  get wouldLoseLog(): boolean {
    return !this.isLogEmpty && !this.log.isInPlace();
  }

  /** Parts with a file that is in its place, as SQLite does. */
  detach(): void {
    this.keeper?.close();
    this.connection.exec(`DETACH ${schema}`);
  }

  /** Parts with a file that is not in its place or is damaged, and touches nothing. */
  abandon(): void {
    this.connection.exec(`DETACH ${schema}`);
    this.keeper?.close();
  }

  private pragma(text: string): unknown {
    return this.connection.pragma(`${schema}.${text}`, { simple: true });
  }
}

function isAttached(connection: Database.Database): boolean {
  return connection.prepare('SELECT 1 FROM pragma_database_list WHERE name = ?').get(schema) !== undefined;
}
