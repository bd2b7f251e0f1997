import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import { newQuotaState, type QuotaState } from '../decide.js';
import { clearBan } from '../rate-limit-store.js';
import { hasLost, type KnownQuota } from '../restore-quota.js';
import type { DataSet, ScriptDecision } from './scripts.js';

/** How many budgets are remembered. */
const quotasMax = 10_000;

interface Entry {
  /** The last state: as Redis returned it or, after an outage began, as this node counts on. */
  state: QuotaState;
  /** The state that Redis returned last, and in which era. */
  returned: QuotaState | undefined;
  returnedIn: number;
  /** The part of `state` that Redis has or was sent, and in which era that was last. */
  sent: QuotaState | undefined;
  sentIn: number;
}

/**
 * The last states of the budgets that this node used last: it counts on them during an outage, and writes them back if
 * Redis has lost them.
 */
export class KnownQuotas {
  private readonly entries = new LRUCache<string, Entry>({ max: quotasMax });
  /** Increases with each connection and each detected loss: Redis may lack what was sent in an earlier era. */
  private currentEra = 0;
  private dataSetId: string | undefined;
  private redisTime = { now: 0, readAt: 0 };

  constructor(
    private readonly clock: Clock,
    /** Called for each lost state. @param isNew whether this begins an era, in which every state has to be sent. */
    private readonly onLoss: (isNew: boolean) => void,
  ) {}

  get era(): number {
    return this.currentEra;
  }

  /** Redis's time, estimated from its last reply: windows are started by that clock. */
  now(): number {
    const { now, readAt } = this.redisTime;
    return now + Math.max(0, this.clock() - readAt);
  }

  /** Every state has to be sent once more, with the next command for its budget. */
  beginEra(): void {
    this.currentEra += 1;
  }

  /** The budgets that were not sent in this era, most recently used first. */
  unsent(): string[] {
    return [...this.entries.entries()].flatMap(([id, { sentIn }]) => (sentIn === this.era ? [] : [id]));
  }

  /**
   * The state to send with the next command for a budget; `undefined` if it was sent in this era. Requests that Redis
   * lacks are sent at most once, even if it does not respond: they must not be counted twice.
   */
  take(id: string): KnownQuota | undefined {
    const entry = this.entries.get(id);
    if (entry === undefined || entry.sentIn === this.era) return undefined;
    const { state, sent } = entry;
    const unsentIn = (window: 'minute' | 'day') =>
      state[`${window}Used`] -
      (sent?.[`${window}StartedAt`] === state[`${window}StartedAt`] ? sent[`${window}Used`] : 0);
    entry.sent = { ...state };
    entry.sentIn = this.era;
    return { state, uncounted: { minute: unsentIn('minute'), day: unsentIn('day') } };
  }

  /** The state that Redis returned before, if it has lost some of that since. */
  findLost(id: string, { before, state, now }: ScriptDecision): QuotaState | undefined {
    const entry = this.entries.peek(id);
    if (entry?.returned === undefined || !hasLost(before ?? state, entry.returned, now)) return undefined;
    const isNew = entry.returnedIn === this.era;
    if (isNew) this.beginEra();
    this.onLoss(isNew);
    return entry.returned;
  }

  /** Remembers a state that Redis returned. */
  keep(id: string, { state, now }: ScriptDecision): void {
    this.redisTime = { now, readAt: this.clock() };
    const [returnedIn, sentIn] = [this.era, this.era];
    this.entries.set(id, { state, returned: state, returnedIn, sent: state, sentIn });
  }

  /** The state to count on, in place, during an outage. */
  stateOf(id: string): QuotaState {
    const entry = this.entries.get(id) ?? this.add(id);
    if (entry.state === entry.returned) entry.state = { ...entry.returned };
    return entry.state;
  }

  /** Applies the unbans of a data set, and detects from a new id that Redis has lost its data. */
  applyDataSet({ id: dataSetId, unbans }: DataSet): void {
    for (const [id, unbannedAt] of Object.entries(unbans)) this.unban(id, unbannedAt);
    const isLost = this.dataSetId !== undefined && this.dataSetId !== dataSetId;
    this.dataSetId = dataSetId;
    if (!isLost) return;
    this.beginEra();
    this.onLoss(true);
  }

  private unban(id: string, unbannedAt: number): void {
    const { state, returned } = this.entries.get(id) ?? this.add(id);
    for (const one of [state, returned]) {
      if (one === undefined || one.unbannedAt >= unbannedAt) continue;
      clearBan(one);
      one.unbannedAt = unbannedAt;
    }
  }

  private add(id: string): Entry {
    const entry = { state: newQuotaState(), returned: undefined, returnedIn: 0, sent: undefined, sentIn: 0 };
    this.entries.set(id, entry);
    return entry;
  }
}
