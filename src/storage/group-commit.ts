import { Refusal } from '../domain/refusal.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets the writes that arrive in one turn of the event loop, or while a group is being written, share one transaction: they wait
 * for the disk once, together. Each promise settles when its own write is durable.
 */
export class GroupCommit<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running: Promise<void> | undefined;

  /** @param write writes all items or none, and resolves with their results in the same order once they are durable. */
  constructor(private readonly write: (items: readonly Item[]) => Promise<readonly Result[]>) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when nothing is being written any more. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    await nextTurn();
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      await this.writeGroup(group);
    }
    this.running = undefined;
  }

  /**
   * If a group fails, each of its items is tried alone, so that one bad item does not fail the others. But if the storage does not
   * answer, all are refused: each alone would wait as long again as the group did.
   */
  private async writeGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.write(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (group.length === 1 || error instanceof Refusal) for (const { reject } of group) reject(error);
      else for (const one of group) await this.writeGroup([one]);
    }
  }
}

/** The rest of this turn of the event loop: every request that has already been read gets into the group. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
