import { GroupCommit } from '../../database/group-commit.js';
import type { Clock } from '../../lib/clock.js';
import { ApiError } from '../../openapi/api-error.js';
import type { BanRules } from '../../openapi/document.js';
import { type Decision, decide, isIdle, minuteMs, newQuotaState, peek, type QuotaState } from '../decide.js';
import { clearBan, type RateLimitClient, type RateLimitStore } from '../rate-limit-store.js';

/** Keeps the counters of budgets beyond the life of the process. */
export interface RateLimitJournal {
  readAll(): ReadonlyMap<string, QuotaState>;
  /**
   * Resolves when a kill can no longer lose them. @throws ApiError `store_unavailable`, of which the operator knows by
   * then.
   */
  write(states: ReadonlyMap<string, QuotaState>): Promise<void>;
  /** @param findIds tells which, at the moment at which they are removed: until then it may have to wait for a lock. */
  remove(findIds: () => readonly string[]): Promise<void>;
  /** The budgets that an operator pardoned and that were not granted yet. */
  pendingUnbans(): readonly string[];
  /** Writes the states of pardoned budgets and forgets the pardons, both or neither. */
  completeUnbans(ids: readonly string[], states: ReadonlyMap<string, QuotaState>): Promise<void>;
}

/** What was decided about a request, and whose budget that has changed. */
interface CountedDecision {
  readonly id: string;
  readonly decision: Decision;
}

/** At most this many addresses are counted at a time; beyond, the half whose minutes started first is forgotten. */
export const addressesMax = 100_000;

/**
 * Counters in the memory of this process, with those of budgets in a journal. Decisions are made in memory at once;
 * their changes are written in groups, and the answers wait for that. Addresses are counted in memory alone: a restart
 * costs them at most one minute's window.
 */
export class MemoryRateLimitStore implements RateLimitStore {
  private readonly quotas: Map<string, QuotaState>;
  /**
   * Addresses whose minute started since the last turn, and those from before it. Dropping a whole map costs nothing
   * per address.
   */
  private addresses = new Map<string, QuotaState>();
  private olderAddresses = new Map<string, QuotaState>();
  private rotatedAt = 0;
  private readonly writes: GroupCommit<CountedDecision, Decision>;
  /** Budgets whose last changes the journal lacks. */
  private readonly pending = new Set<string>();

  constructor(
    private readonly rules: BanRules,
    private readonly clock: Clock,
    private readonly journal: RateLimitJournal,
    /** Told about defects. Requests go on while the journal cannot be written: the counters in memory hold. */
    private readonly report: (error: unknown) => void,
    /** Told how many budgets share each write of the journal. */
    onGroup?: (size: number) => void,
  ) {
    this.quotas = new Map(journal.readAll());
    this.writes = new GroupCommit(async (decisions) => {
      await this.write(decisions.map(({ id }) => id));
      return decisions.map(({ decision }) => decision);
    }, onGroup);
    this.clearBans(journal.pendingUnbans());
  }

  consume({ kind, id, limits }: RateLimitClient): Promise<Decision> {
    const now = this.clock();
    if (kind === 'address') return Promise.resolve(decide(this.addressState(id, now), limits, undefined, now));
    const state = this.quotaState(id);
    const isBanned = now < state.bannedUntil;
    const decision = decide(state, limits, this.rules, now);
    // A request during a ban changes nothing, so its answer need not wait for a write.
    return isBanned ? Promise.resolve(decision) : this.writes.add({ id, decision });
  }

  peek({ kind, id, limits }: RateLimitClient): Promise<Decision> {
    const known = kind === 'address' ? this.knownAddress(id) : this.quotas.get(id);
    const state = known ?? newQuotaState();
    return Promise.resolve(peek(state, limits, this.clock()));
  }

  /** Counts a budget on a state of another store, in place. */
  adopt(id: string, state: QuotaState): void {
    this.quotas.set(id, state);
  }

  /** How many addresses are remembered. */
  get addressCount(): number {
    return this.addresses.size + this.olderAddresses.size;
  }

  /** Takes over what an operator pardoned. To be called every few seconds. */
  async applyUnbans(): Promise<void> {
    const ids = this.journal.pendingUnbans();
    if (ids.length > 0) await this.journal.completeUnbans(ids, this.clearBans(ids));
  }

  /** Writes what the journal lacks since it could not be written. To be called every second. */
  async writePending(): Promise<void> {
    if (this.pending.size > 0) await this.write([...this.pending]);
  }

  /** Forgets budgets that have nothing left to remember. To be called now and then. */
  async sweep(): Promise<void> {
    const now = this.clock();
    const idle = [...this.quotas].filter(([, state]) => isIdle(state, this.rules, now)).map(([id]) => id);
    for (const id of idle) {
      this.quotas.delete(id);
      this.pending.delete(id);
    }
    // One that is counted again by then is in memory, and its row in the journal may be a fresh one.
    await this.journal.remove(() => idle.filter((id) => !this.quotas.has(id)));
  }

  /** Resolves when every change is written that can be. */
  async close(): Promise<void> {
    await this.writes.idle();
    await this.writePending();
  }

  private clearBans(ids: readonly string[]): ReadonlyMap<string, QuotaState> {
    const known = new Map([...this.quotas].filter(([id]) => ids.includes(id)));
    for (const state of known.values()) clearBan(state);
    return known;
  }

  private quotaState(id: string): QuotaState {
    const present = this.quotas.get(id);
    if (present !== undefined) return present;
    const added = newQuotaState();
    this.quotas.set(id, added);
    return added;
  }

  private addressState(id: string, now: number): QuotaState {
    const present = this.knownAddress(id);
    if (present !== undefined && now < present.minuteStartedAt + minuteMs) return present;
    if (this.addresses.size >= addressesMax / 2 || now >= this.rotatedAt + minuteMs) this.rotateAddresses(now);
    const added = newQuotaState();
    this.addresses.set(id, added);
    return added;
  }

  private knownAddress(id: string): QuotaState | undefined {
    return this.addresses.get(id) ?? this.olderAddresses.get(id);
  }

  /** Forgets the older half. A turn that comes with a minute forgets nothing that still counts. */
  private rotateAddresses(now: number): void {
    this.olderAddresses = this.addresses;
    this.addresses = new Map();
    this.rotatedAt = now;
  }

  /** Writes what is known of budgets. What the journal does not take is kept for the next `writePending`. */
  private async write(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.pending.delete(id);
    try {
      await this.journal.write(new Map(ids.map((id) => [id, this.quotaState(id)])));
    } catch (error) {
      for (const id of ids) this.pending.add(id);
      if (!(error instanceof ApiError)) this.report(error);
    }
  }
}
