import { existsSync, realpathSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { findIdentity } from '../data-files.js';

/** The name under which the file is attached. */
const schema = 'store';

/**
 * A database file, attached to a connection. When it is detached and attached again, SQLite prepares the statements of
 * the connection again.
 */
export class AttachedFile {
  private readonly path: string;
  /** The path of the write-ahead log. */
  private readonly logPath: string;
  private readonly identity: string | undefined;

  /**
   * @param opener is an open connection to the file, which this closes.
   * @param isExclusive whether to lock the file for other processes.
   * @throws SqliteError if the file cannot be attached; then the connection has none.
   */
  constructor(
    private readonly connection: Database.Database,
    opener: Database.Database,
    isExclusive: boolean,
  ) {
    this.path = opener.name;
    this.logPath = `${realpathSync(this.path)}-wal`;
    this.identity = findIdentity(this.path);
    // Two connections cannot lock the file. Otherwise, closing the last connection would delete the write-ahead log.
    if (isExclusive) opener.close();
    try {
      connection.pragma(`locking_mode = ${isExclusive ? 'EXCLUSIVE' : 'NORMAL'}`);
      connection.prepare(`ATTACH ? AS ${schema}`).run(this.path);
    } finally {
      if (opener.open) opener.close();
    }
    this.pragma('synchronous = FULL');
  }

  /** Tests whether the file can be written, by writing its version again. @throws SqliteError */
  rewriteVersion(): void {
    this.pragma(`user_version = ${String(this.pragma('user_version'))}`);
  }

  /**
   * Whether the path still leads to the open file and its log, so that writes exist after a restart. Only the existence
   * of the log is checked: reading its timestamps would make the next sync slower on Linux.
   */
  isInPlace(): boolean {
    return findIdentity(this.path) === this.identity && existsSync(this.logPath);
  }

  /** Copies the write-ahead log into its file, even if that was moved. @throws SqliteError */
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
