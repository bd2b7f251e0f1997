import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../openapi/api-error.js';
import { batchWindow } from './batch-window.js';
import { DatabaseLockedError, lockRetryPauseMs, lockTimeoutMs } from './lock-retry.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets the writes that arrive until the end of a turn of the event loop (see `endOfTurn`), or while a group is being
 * written, share one transaction: they wait for the disk once, together. Each promise settles when its own write is
 * durable.
 *
 * While the storage is locked, what arrives joins the group that tries again, and each item is refused after its own
 * patience: nobody waits for the patience of others first.
 */
export class GroupCommit<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running: Promise<void> | undefined;

  /**
   * @param write writes all items or none, and returns their results in the same order once they are durable. @throws
   * Locked
   * @param onGroup told how many writes have shared a transaction.
   */
  constructor(
    private readonly write: (items: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>,
    private readonly onGroup?: (size: number) => void,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, since: performance.now(), resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when nothing is being written any more. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    await batchWindow(() => this.waiting.length > 1);
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      const locked = await this.writeGroup(group);
      if (locked !== undefined) await this.pause(locked);
    }
    this.running = undefined;
  }

  /**
   * If a group fails, each of its items is tried alone, so that one bad item does not fail the others. But if the
   * storage does not answer, all are refused; and if it is locked, all wait on.
   */
  private async writeGroup(group: readonly Waiting<Item, Result>[]): Promise<DatabaseLockedError | undefined> {
    try {
      const results = await this.write(group.map(({ item }) => item));
      this.onGroup?.(group.length);
      group.forEach(({ resolve }, index) => resolve(results[index] as Result));
      return undefined;
    } catch (error) {
      if (error instanceof DatabaseLockedError) {
        this.waiting = [...group, ...this.waiting];
        return error;
      }
      if (group.length > 1 && !(error instanceof ApiError)) return this.writeEach(group);
      for (const { reject } of group) reject(error);
      return undefined;
    }
  }

  private async writeEach(group: readonly Waiting<Item, Result>[]): Promise<DatabaseLockedError | undefined> {
    let locked: DatabaseLockedError | undefined;
    for (const one of group) locked = (await this.writeGroup([one])) ?? locked;
    return locked;
  }

  private async pause(locked: DatabaseLockedError): Promise<void> {
    const arrivedBy = performance.now() - lockTimeoutMs;
    for (const { since, reject } of this.waiting) if (since <= arrivedBy) reject(locked.toApiError());
    this.waiting = this.waiting.filter(({ since }) => since > arrivedBy);
    if (this.waiting.length > 0) await delay(lockRetryPauseMs);
  }
}
