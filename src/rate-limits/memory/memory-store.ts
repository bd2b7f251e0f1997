import { GroupCommit } from '../../database/group-commit.js';
import type { Clock } from '../../lib/clock.js';
import { Refusal } from '../../openapi/api-error.js';
import type { BanRules } from '../../openapi/document.js';
import { type Admission, admit, type BudgetState, freshBudget, isIdle, minuteMs, peek } from '../decide.js';
import { forgive, type LimitStore, type Subject } from '../rate-limit-store.js';

/** Keeps the counters of budgets beyond the life of the process. */
export interface LimitJournal {
  readAll(): ReadonlyMap<string, BudgetState>;
  /**
   * Resolves when a kill can no longer lose them. @throws Refusal `store_unavailable`, of which the operator knows by
   * then.
   */
  write(states: ReadonlyMap<string, BudgetState>): Promise<void>;
  /** @param findIds tells which, at the moment at which they are removed: until then it may have to wait for a lock. */
  remove(findIds: () => readonly string[]): Promise<void>;
  /** The budgets that an operator pardoned and that were not granted yet. */
  pardons(): readonly string[];
  /** Writes the states of pardoned budgets and forgets the pardons, both or neither. */
  grant(ids: readonly string[], states: ReadonlyMap<string, BudgetState>): Promise<void>;
}

/** What was decided about a request, and whose budget that has changed. */
interface Decision {
  readonly id: string;
  readonly admission: Admission;
}

/** At most this many addresses are counted at a time; beyond, the half whose minutes started first is forgotten. */
export const addressesMax = 100_000;

/**
 * Counters in the memory of this process, with those of budgets in a journal. Decisions are made in memory at once;
 * their changes are written in groups, and the answers wait for that. Addresses are counted in memory alone: a restart
 * costs them at most one minute's window.
 */
export class MemoryLimitStore implements LimitStore {
  private readonly budgets: Map<string, BudgetState>;
  /**
   * Addresses whose minute started since the last turn, and those from before it. Dropping a whole map costs nothing
   * per address.
   */
  private addresses = new Map<string, BudgetState>();
  private olderAddresses = new Map<string, BudgetState>();
  private turnedAt = 0;
  private readonly writes: GroupCommit<Decision, Admission>;
  /** Budgets whose last changes the journal lacks. */
  private readonly unwritten = new Set<string>();

  constructor(
    private readonly rules: BanRules,
    private readonly clock: Clock,
    private readonly journal: LimitJournal,
    /** Told about defects. Requests go on while the journal cannot be written: the counters in memory hold. */
    private readonly report: (error: unknown) => void,
    /** Told how many budgets share each write of the journal. */
    onGroup?: (size: number) => void,
  ) {
    this.budgets = new Map(journal.readAll());
    this.writes = new GroupCommit(async (decisions) => {
      await this.write(decisions.map(({ id }) => id));
      return decisions.map(({ admission }) => admission);
    }, onGroup);
    this.forgive(journal.pardons());
  }

  admit({ kind, id, limits }: Subject): Promise<Admission> {
    const now = this.clock();
    if (kind === 'address') return Promise.resolve(admit(this.addressState(id, now), limits, undefined, now));
    const state = this.budgetState(id);
    const isBanned = now < state.bannedUntil;
    const admission = admit(state, limits, this.rules, now);
    // A request during a ban changes nothing, so its answer need not wait for a write.
    return isBanned ? Promise.resolve(admission) : this.writes.add({ id, admission });
  }

  peek({ kind, id, limits }: Subject): Promise<Admission> {
    const known = kind === 'address' ? this.knownAddress(id) : this.budgets.get(id);
    const state = known ?? freshBudget();
    return Promise.resolve(peek(state, limits, this.clock()));
  }

  /** Counts a budget on a state of another store, in place. */
  adopt(id: string, state: BudgetState): void {
    this.budgets.set(id, state);
  }

  /** How many addresses are remembered. */
  get addressCount(): number {
    return this.addresses.size + this.olderAddresses.size;
  }

  /** Takes over what an operator pardoned. To be called every few seconds. */
  async followOperator(): Promise<void> {
    const ids = this.journal.pardons();
    if (ids.length > 0) await this.journal.grant(ids, this.forgive(ids));
  }

  /** Writes what the journal lacks since it could not be written. To be called every second. */
  async catchUp(): Promise<void> {
    if (this.unwritten.size > 0) await this.write([...this.unwritten]);
  }

  /** Forgets budgets that have nothing left to remember. To be called now and then. */
  async sweep(): Promise<void> {
    const now = this.clock();
    const idle = [...this.budgets].filter(([, state]) => isIdle(state, this.rules, now)).map(([id]) => id);
    for (const id of idle) {
      this.budgets.delete(id);
      this.unwritten.delete(id);
    }
    // One that is counted again by then is in memory, and its row in the journal may be a fresh one.
    await this.journal.remove(() => idle.filter((id) => !this.budgets.has(id)));
  }

  /** Resolves when every change is written that can be. */
  async close(): Promise<void> {
    await this.writes.idle();
    await this.catchUp();
  }

  private forgive(ids: readonly string[]): ReadonlyMap<string, BudgetState> {
    const known = new Map([...this.budgets].filter(([id]) => ids.includes(id)));
    for (const state of known.values()) forgive(state);
    return known;
  }

  private budgetState(id: string): BudgetState {
    const present = this.budgets.get(id);
    if (present !== undefined) return present;
    const added = freshBudget();
    this.budgets.set(id, added);
    return added;
  }

  private addressState(id: string, now: number): BudgetState {
    const present = this.knownAddress(id);
    if (present !== undefined && now < present.minuteStartedAt + minuteMs) return present;
    if (this.addresses.size >= addressesMax / 2 || now >= this.turnedAt + minuteMs) this.turnOver(now);
    const added = freshBudget();
    this.addresses.set(id, added);
    return added;
  }

  private knownAddress(id: string): BudgetState | undefined {
    return this.addresses.get(id) ?? this.olderAddresses.get(id);
  }

  /** Forgets the older half. A turn that comes with a minute forgets nothing that still counts. */
  private turnOver(now: number): void {
    this.olderAddresses = this.addresses;
    this.addresses = new Map();
    this.turnedAt = now;
  }

  /** Writes what is known of budgets. What the journal does not take is kept for the next `catchUp`. */
  private async write(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.unwritten.delete(id);
    try {
      await this.journal.write(new Map(ids.map((id) => [id, this.budgetState(id)])));
    } catch (error) {
      for (const id of ids) this.unwritten.add(id);
      if (!(error instanceof Refusal)) this.report(error);
    }
  }
}
