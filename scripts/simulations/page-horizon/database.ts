import { bucketCount, bucketOf, firstIdAt } from './pet-ids.js';

/** The rules of the design. Without one of them, pages miss pets. */
export interface Rules {
  /** Where pages end: at the horizon, before the pets of the last second, or nowhere. */
  readonly pagesEnd: 'at the horizon' | 'a second ago' | 'nowhere';
  /** Whether a batch is rejected if its node has lost its lease. */
  readonly isFenced: boolean;
  /**
   * When a node that leases a number reads the greatest horizon, below which it assigns no id: before and after the
   * lease, before it, or never.
   */
  readonly readsHorizons: 'twice' | 'once' | 'never';
}

/** The right of a node to assign ids with a number. Each holder of a number has another epoch. */
export interface Lease {
  readonly node: number;
  readonly epoch: number;
  /** All ids of the node are at least this one. */
  readonly startsAt: number;
}

interface NodeRow {
  epoch: number;
  isLive: boolean;
  /** The node will commit no smaller id. */
  horizon: number;
  leaseEndsAt: number;
}

const leaseMs = 2000;

/** A database. Each method is a transaction, which is executed at once. Times are in milliseconds. */
export class Database {
  /** The time of the commit by id. */
  readonly committedAt = new Map<number, number>();
  duplicates = 0;
  lostLeases = 0;
  fencedBatches = 0;
  private readonly rows: NodeRow[] = [];
  private readonly buckets = Array.from({ length: bucketCount }, (): number[] => []);

  constructor(private readonly rules: Rules) {}

  /** Reads where the ids of a node that leases a number start, or of one that has leased it. */
  readStart(nodeTime: number, lease?: Lease): number {
    const { readsHorizons } = this.rules;
    const isRead = readsHorizons === 'twice' || (readsHorizons === 'once' && lease === undefined);
    return Math.max(firstIdAt(nodeTime), lease?.startsAt ?? 0, isRead ? this.greatestHorizon() : 0);
  }

  /** Leases a number that no node holds. */
  lease(now: number, startsAt: number): Lease {
    let node = this.rows.findIndex(({ isLive }) => !isLive);
    if (node < 0) node = this.rows.push({ epoch: 0, isLive: false, horizon: 0, leaseEndsAt: 0 }) - 1;
    const row = this.rows[node] as NodeRow;
    row.epoch += 1;
    row.isLive = true;
    row.horizon = Math.max(startsAt, row.horizon);
    row.leaseEndsAt = now + leaseMs;
    return { node, epoch: row.epoch, startsAt: row.horizon };
  }

  /** Every node calls this with its own clock: no guarantee depends on when a lease ends. */
  endExpiredLeases(nodeTime: number): void {
    for (const row of this.rows) {
      if (!row.isLive || row.leaseEndsAt >= nodeTime) continue;
      row.isLive = false;
      row.epoch += 1;
      this.lostLeases += 1;
    }
  }

  /** Stores a batch, moves the horizon of its node past it and renews the lease. Returns false if the lease is lost. */
  commit(now: number, { node, epoch }: Lease, ids: readonly number[], horizon: number): boolean {
    const row = this.rows[node] as NodeRow;
    const isHeld = row.epoch === epoch;
    if (isHeld) {
      row.horizon = horizon;
      row.leaseEndsAt = now + leaseMs;
    } else if (this.rules.isFenced) {
      this.fencedBatches += 1;
      return false;
    }
    for (const id of ids) this.insert(now, id);
    return isHeld;
  }

  /** A page, merged from all buckets. */
  page(nodeTime: number, afterId: number, size: number): number[] {
    const end = this.endOfPages(nodeTime);
    const found = this.buckets.flatMap((ids) => {
      const start = positionOf(ids, afterId + 1);
      return ids.slice(start, start + size).filter((id) => id < end);
    });
    return found.sort((one, other) => one - other).slice(0, size);
  }

  /** Pages are complete up to this id: all smaller ones are committed, or never will be. */
  private pageHorizon(): number {
    const live = this.rows.filter(({ isLive }) => isLive);
    return live.length > 0 ? Math.min(...live.map(({ horizon }) => horizon)) : this.greatestHorizon();
  }

  /** It never decreases, and the page horizon never exceeds it. */
  private greatestHorizon(): number {
    return Math.max(0, ...this.rows.map(({ horizon }) => horizon));
  }

  private endOfPages(nodeTime: number): number {
    const { pagesEnd } = this.rules;
    if (pagesEnd === 'nowhere') return Infinity;
    return pagesEnd === 'at the horizon' ? this.pageHorizon() : firstIdAt(nodeTime - 1000);
  }

  private insert(now: number, id: number): void {
    if (this.committedAt.has(id)) this.duplicates += 1;
    this.committedAt.set(id, now);
    const ids = this.buckets[bucketOf(id)] as number[];
    ids.splice(positionOf(ids, id), 0, id);
  }
}

/** The position of the first id that is not below a bound, by binary search. */
function positionOf(ids: readonly number[], bound: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((ids[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
