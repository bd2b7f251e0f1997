import { existsSync, realpathSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { OpenOptions } from './connection.js';

/** The name under which the file is attached. */
const schema = 'store';

/**
 * A database file, attached to a connection. Prepared statements of the connection stay valid when the file is detached
 * and attached again, because SQLite prepares them again by itself.
 */
export class AttachedFile {
  /** Where the write-ahead log is. */
  readonly logPath: string;
  private readonly path: string;
  private readonly identity: string | undefined;

  /**
   * @param opener is an open connection to the file, which this closes.
   * @throws SqliteError if the file cannot be attached; then the connection has none.
   */
  constructor(
    private readonly connection: Database.Database,
    opener: Database.Database,
    { synchronous, isExclusive = false }: Pick<OpenOptions, 'synchronous' | 'isExclusive'>,
  ) {
    this.path = opener.name;
    this.logPath = `${realpathSync(this.path)}-wal`;
    this.identity = identityOf(this.path);
    if (isExclusive) opener.close();
    try {
      connection.pragma(`locking_mode = ${isExclusive ? 'EXCLUSIVE' : 'NORMAL'}`);
      connection.prepare(`ATTACH ? AS ${schema}`).run(this.path);
    } finally {
      opener.close();
    }
    this.pragma(`synchronous = ${synchronous}`);
  }

  /** Changes when another connection has written. */
  get dataVersion(): unknown {
    return this.pragma('data_version');
  }

  /** Writes what is there already: whether that succeeds tells whether the file can be written. */
  rewriteVersion(): void {
    this.pragma(`user_version = ${String(this.pragma('user_version'))}`);
  }

  /**
   * Whether the path leads to the open file, beside its log: only then does the next start find what is written. Of the
   * log only the existence is checked: reading the times of a file that is written makes the next sync slower on Linux.
   */
  isInPlace(): boolean {
    return identityOf(this.path) === this.identity && existsSync(this.logPath);
  }

  /** Copies the log into the file to which it belongs, wherever that is. @throws SqliteError */
  checkpoint(): void {
    this.pragma('wal_checkpoint(TRUNCATE)');
  }

  detach(): void {
    this.connection.exec(`DETACH ${schema}`);
  }

  private pragma(text: string): unknown {
    return this.connection.pragma(`${schema}.${text}`, { simple: true });
  }
}

/** The device and inode of a file, which no other file has while this one is open; `undefined` if there is none. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${String(dev)} ${String(ino)}`;
  } catch {
    return undefined;
  }
}
