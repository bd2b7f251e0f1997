import { setImmediate } from 'node:timers/promises';
import { ApiError } from '@contract-server/core/lib/errors.js';

/** Receives figures about writes; the metrics of the service implement it. It must not throw. */
export interface WriteMetrics {
  /** The number of writes of each transaction. */
  readonly batchSizes: { observe(size: number): void };
  /** The time in seconds between each commit and the listing of its rows, if a store delays responses for it. */
  readonly listingDelay: { observe(seconds: number): void };
}

interface PendingWrite<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines the writes that arrive in one event-loop tick, or while a batch is being written, into one transaction: they
 * wait for the disk once, together. Each promise settles when its own write is durable.
 */
export class GroupCommit<Item, Result> {
  private pending: PendingWrite<Item, Result>[] = [];
  private running: Promise<void> | undefined;

  /** @param write writes all items or none, and returns their results in the same order once they are durable. */
  constructor(
    private readonly write: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly metrics?: Partial<WriteMetrics>,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.pending.push({ item, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when every write has settled. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.pending.length > 0) {
      await setImmediate();
      // The requests of clients that received their responses together arrive within two ticks.
      if (this.pending.length > 1) await setImmediate();
      const batch = this.pending;
      this.pending = [];
      await this.writeBatch(batch);
    }
    this.running = undefined;
  }

  /**
   * If a batch fails, each item is written alone, so that an invalid item does not fail the others. If the database is
   * unavailable, all are rejected.
   */
  private async writeBatch(batch: readonly PendingWrite<Item, Result>[]): Promise<void> {
    let results: readonly Result[];
    try {
      results = await this.write(batch.map(({ item }) => item));
    } catch (error) {
      if (batch.length === 1 || error instanceof ApiError) for (const { reject } of batch) reject(error);
      else for (const write of batch) await this.writeBatch([write]);
      return;
    }
    batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    this.metrics?.batchSizes?.observe(batch.length);
  }
}
