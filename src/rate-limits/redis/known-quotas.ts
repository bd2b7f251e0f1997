import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import { newQuotaState, type QuotaState } from '../decide.js';
import { clearBan } from '../rate-limit-store.js';
import { hasLost, type KnownQuota } from '../restore-quota.js';
import type { DataSet, ScriptDecision } from './scripts.js';

/** Maximum number of quotas. */
const quotasMax = 10_000;

interface Entry {
  /** The last state: from Redis or, during an outage, of this node. */
  state: QuotaState;
  /** The last state from Redis, and its era. */
  returned: QuotaState | undefined;
  returnedIn: number;
  /** The part of `state` that Redis has or was sent, and the era in which it was sent. */
  sent: QuotaState | undefined;
  sentIn: number;
}

/**
 * The last states of the quotas that this node used recently. During an outage, it continues to count in them; if Redis
 * has lost them, it writes them back.
 */
export class KnownQuotas {
  private readonly entries = new LRUCache<string, Entry>({ max: quotasMax });
  /** Increases with each connection and each detected loss: Redis may lack states that were sent earlier. */
  private currentEra = 0;
  private dataSetId: string | undefined;
  private redisTime = { now: 0, readAt: 0 };

  constructor(
    private readonly clock: Clock,
    /** Called for each lost state. @param isNew whether a new era begins, in which every state has to be sent. */
    private readonly onLoss: (isNew: boolean) => void,
  ) {}

  get era(): number {
    return this.currentEra;
  }

  /** The time of Redis, estimated from its last reply: windows start by that clock. */
  now(): number {
    const { now, readAt } = this.redisTime;
    return now + Math.max(0, this.clock() - readAt);
  }

  /** Every state is sent again, with the next command for its quota. */
  beginEra(): void {
    this.currentEra += 1;
  }

  /** The ids of the quotas that were not sent in this era, most recently used first. */
  unsent(): string[] {
    return [...this.entries.entries()].flatMap(([id, { sentIn }]) => (sentIn === this.era ? [] : [id]));
  }

  /**
   * The state to send with the next command for a quota; `undefined` if it was sent in this era. Requests that Redis
   * lacks are sent at most once, even if it does not respond, so that none is counted twice.
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

  /** The last state from Redis, if Redis has lost a part of it since. */
  findLost(id: string, { before, state, now }: ScriptDecision): QuotaState | undefined {
    const entry = this.entries.peek(id);
    if (entry?.returned === undefined || !hasLost(before ?? state, entry.returned, now)) return undefined;
    const isNew = entry.returnedIn === this.era;
    if (isNew) this.beginEra();
    this.onLoss(isNew);
    return entry.returned;
  }

  /** Stores a state that Redis returned. */
  keep(id: string, { state, now }: ScriptDecision): void {
    this.redisTime = { now, readAt: this.clock() };
    const [returnedIn, sentIn] = [this.era, this.era];
    this.entries.set(id, { state, returned: state, returnedIn, sent: state, sentIn });
  }

  /** The state to count in, in place, during an outage. */
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
