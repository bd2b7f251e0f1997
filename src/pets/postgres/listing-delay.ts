import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresDatabase, Statement, WriteMetrics } from 'contract-server/postgres';

/** Maximum time that a creation waits until its pet is listed, and the pause between two checks, in milliseconds. */
const timeoutMs = 1000;
const pauseMs = 2;

/** Pages end before the pets of this transaction. It is read once per statement. */
export const oldestTransaction = '(SELECT pg_snapshot_xmin(pg_current_snapshot()))';
const findOldestTransaction: Statement = {
  name: 'find_oldest_transaction',
  text: `SELECT ${oldestTransaction}::text::bigint AS id`,
};

/**
 * Run at every start. After a dump was restored, the transaction ids of the old cluster may be in the future of the new
 * one, which would hide the pets. The pet with the greatest id also has the greatest transaction id, and only it is
 * read if nothing is to do.
 */
export const resetTransactions = `
  UPDATE pets SET created_in = '0' WHERE created_in >= pg_snapshot_xmax(pg_current_snapshot())
    AND (SELECT created_in >= pg_snapshot_xmax(pg_current_snapshot()) FROM pets ORDER BY id DESC LIMIT 1)`;

interface Waiting {
  readonly transactionId: number;
  readonly since: number;
  readonly resolve: () => void;
}

/**
 * Delays the responses of creations until their pets are listed, so that clients find them in their next page.
 * Committed pets are not listed while an earlier transaction runs anywhere on the server.
 */
export class ListingDelay {
  private waiting: Waiting[] = [];
  private isChecking = false;

  /** @param metrics receives the time between each commit and its listing, or the timeout. */
  constructor(
    private readonly db: PostgresDatabase,
    private readonly metrics: Partial<WriteMetrics> | undefined,
  ) {}

  /**
   * Returns a promise that resolves when the pets of a committed transaction are listed, or after the timeout. It
   * never rejects, because they are stored.
   *
   * @param transactionId `null` if they are listed already; the result is then `undefined`.
   */
  wait(transactionId: number | null): Promise<void> | undefined {
    if (transactionId === null) {
      this.metrics?.listingDelay?.observe(0);
      return undefined;
    }
    const since = performance.now();
    const listed = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      const resolveOnce = () => {
        clearTimeout(timer);
        resolve();
      };
      this.waiting.push({ transactionId, since, resolve: resolveOnce });
    });
    if (!this.isChecking) void this.check();
    return listed.then(() => this.metrics?.listingDelay?.observe((performance.now() - since) / 1000));
  }

  /** Checks for all waiting creations together, while there are any. */
  private async check(): Promise<void> {
    this.isChecking = true;
    for (;;) {
      const oldest = await this.findOldest();
      for (const { transactionId, resolve } of this.waiting) if (transactionId < oldest) resolve();
      const timedOutSince = performance.now() - timeoutMs;
      this.waiting = this.waiting.filter(
        ({ transactionId, since }) => transactionId >= oldest && since > timedOutSince,
      );
      if (this.waiting.length === 0) break;
      await delay(pauseMs);
    }
    this.isChecking = false;
  }

  /** Returns 0 during an outage, which the database has recorded. */
  private async findOldest(): Promise<number> {
    try {
      const [row] = await this.db.query<{ id: number }>(findOldestTransaction);
      return row?.id ?? 0;
    } catch {
      return 0;
    }
  }
}
