import type Database from 'better-sqlite3';

/**
 * The transaction that the reads of an event-loop tick share, from the second on, until a write. Beginning and ending a
 * transaction takes SQLite three times as long as finding a row.
 */
export class SharedRead {
  private readsInTick = 0;
  private isOpen = false;
  private readonly begin: Database.Statement;
  private readonly rollback: Database.Statement;

  constructor(private readonly connection: Database.Database) {
    this.begin = connection.prepare('BEGIN');
    // After reads, ROLLBACK does the same as COMMIT, but does not fail if the file is damaged.
    this.rollback = connection.prepare('ROLLBACK');
  }

  /** Call it before each read. */
  join(): void {
    this.readsInTick += 1;
    if (this.readsInTick === 1) process.nextTick(() => this.endTick());
    if (this.readsInTick !== 2) return;
    this.begin.run();
    this.isOpen = true;
  }

  /** Ends the transaction if it has begun. Call it before any other use of the connection. */
  end(): void {
    // SQLite ends a transaction itself after some errors.
    if (this.isOpen && this.connection.inTransaction) this.rollback.run();
    this.isOpen = false;
  }

  private endTick(): void {
    this.readsInTick = 0;
    if (this.connection.open) this.end();
  }
}
