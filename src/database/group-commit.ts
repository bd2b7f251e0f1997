import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../lib/errors.js';
import type { BatchWindow } from './batch-window.js';
import { DatabaseLockedError, lockRetryPauseMs, lockTimeoutMs } from './lock-retry.js';

export interface GroupCommitOptions {
  readonly batchWindow: BatchWindow;
  /** Called with the size of each batch. */
  readonly onBatch?: ((size: number) => void) | undefined;
}

interface PendingWrite<Item, Result> {
  readonly item: Item;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines the writes that arrive within a batch window, or while a batch is being written, into one transaction: they
 * wait for the disk once, together. Each promise settles when its own write is durable. Rate-limit decisions use it,
 * too: their batch is written to the counter file, without fsync.
 *
 * While the database is locked, later writes join the batch that is retried, and each write has its own timeout.
 */
export class GroupCommit<Item, Result> {
  private pending: PendingWrite<Item, Result>[] = [];
  private running: Promise<void> | undefined;

  /**
   * @param write writes all items or none, and returns their results in the same order once they are durable. @throws
   * DatabaseLockedError
   */
  constructor(
    private readonly write: (items: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>,
    private readonly options: GroupCommitOptions,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.pending.push({ item, since: performance.now(), resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when every write has settled. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    await this.options.batchWindow.close(() => this.pending.length > 1);
    while (this.pending.length > 0) {
      const batch = this.pending;
      this.pending = [];
      const locked = await this.writeBatch(batch);
      if (locked !== undefined) await this.pause(locked);
    }
    this.running = undefined;
  }

  /**
   * If a batch fails, each item is written alone, so that an invalid item does not fail the others. If the database is
   * unavailable, all are rejected; if it is locked, all keep waiting.
   */
  private async writeBatch(batch: readonly PendingWrite<Item, Result>[]): Promise<DatabaseLockedError | undefined> {
    try {
      const results = await this.write(batch.map(({ item }) => item));
      this.options.onBatch?.(batch.length);
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
      return undefined;
    } catch (error) {
      if (error instanceof DatabaseLockedError) {
        this.pending = [...batch, ...this.pending];
        return error;
      }
      if (batch.length > 1 && !(error instanceof ApiError)) return this.writeEach(batch);
      for (const { reject } of batch) reject(error);
      return undefined;
    }
  }

  private async writeEach(batch: readonly PendingWrite<Item, Result>[]): Promise<DatabaseLockedError | undefined> {
    let locked: DatabaseLockedError | undefined;
    for (const write of batch) locked = (await this.writeBatch([write])) ?? locked;
    return locked;
  }

  /** Rejects the writes that have timed out, and waits before the others are retried. */
  private async pause(locked: DatabaseLockedError): Promise<void> {
    const timedOutSince = performance.now() - lockTimeoutMs;
    for (const { since, reject } of this.pending) if (since <= timedOutSince) reject(locked.toApiError());
    this.pending = this.pending.filter(({ since }) => since > timedOutSince);
    if (this.pending.length > 0) await delay(lockRetryPauseMs);
  }
}
