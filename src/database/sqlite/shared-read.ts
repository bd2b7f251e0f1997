import type Database from 'better-sqlite3';

/**
 * The transaction that the reads of an event-loop tick share, from the second on: to begin and end one takes SQLite
 * three times as long as to find a row. All of them read the same snapshot.
 */
export class SharedRead {
  private readsInTick = 0;
  private readonly begin: Database.Statement;
  private readonly rollback: Database.Statement;

  constructor(private readonly connection: Database.Database) {
    this.begin = connection.prepare('BEGIN');
    // After reads only, it does the same as COMMIT, which fails if the file is damaged.
    this.rollback = connection.prepare('ROLLBACK');
  }

  /** Call it before each read. */
  join(): void {
    this.readsInTick += 1;
    if (this.readsInTick === 1) process.nextTick(() => this.endTick());
    if (this.readsInTick === 2) this.begin.run();
  }

  /** Call it before anything else that uses the connection: the rest of the tick reads without a shared transaction. */
  end(): void {
    if (this.connection.inTransaction) this.rollback.run();
  }

  private endTick(): void {
    this.readsInTick = 0;
    if (this.connection.open) this.end();
  }
}
