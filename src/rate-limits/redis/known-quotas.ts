import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import { newQuotaState, type QuotaState } from '../decide.js';
import { clearBan } from '../quota-store.js';
import { hasLost, type KnownQuota } from '../restore-quota.js';
import type { DataSet, ScriptDecision } from './scripts.js';

/** Maximum number of quotas. */
const quotasMax = 10_000;

interface Entry {
  /** The last state: from Redis or, during an outage, of this node. */
  state: QuotaState;
  /** The last state from Redis, and its epoch. */
  returned: QuotaState | undefined;
  returnedEpoch: number;
  /** The part of `state` that Redis has or was sent, and the epoch in which it was sent. */
  sent: QuotaState | undefined;
  sentEpoch: number;
}

/**
 * The last states of the quotas that this node used recently. During an outage, it continues to count in them; if Redis
 * has lost them, it writes them back.
 */
export class KnownQuotas {
  private readonly entries = new LRUCache<string, Entry>({ max: quotasMax });
  /** Increases with each connection and each detected loss: Redis may lack states that were sent earlier. */
  private currentEpoch = 0;
  private dataSetId: string | undefined;
  private redisTime = { now: 0, readAt: 0 };

  constructor(
    private readonly clock: Clock,
    /** Called for each lost state. @param isNew whether a new epoch begins, in which every state has to be sent. */
    private readonly onLoss: (isNew: boolean) => void,
  ) {}

  get epoch(): number {
    return this.currentEpoch;
  }

  /** The time of Redis, estimated from its last reply: windows start by that clock. */
  now(): number {
    const { now, readAt } = this.redisTime;
    return now + Math.max(0, this.clock() - readAt);
  }

  /** Every state is sent again, with the next command for its quota. */
  startEpoch(): void {
    this.currentEpoch += 1;
  }

  /** The ids of the quotas that were not sent in this epoch, most recently used first. */
  unsentIds(): string[] {
    return [...this.entries.entries()].flatMap(([id, { sentEpoch }]) => (sentEpoch === this.epoch ? [] : [id]));
  }

  /**
   * The state to send with the next command for a quota; `undefined` if it was sent in this epoch. Requests that Redis
   * lacks are sent at most once, even if it does not respond, so that none is counted twice.
   */
  takeUnsent(id: string): KnownQuota | undefined {
    const entry = this.entries.get(id);
    if (entry === undefined || entry.sentEpoch === this.epoch) return undefined;
    const { state, sent } = entry;
    const countUnsent = (window: 'minute' | 'day') =>
      state[`${window}Used`] -
      (sent?.[`${window}StartedAt`] === state[`${window}StartedAt`] ? sent[`${window}Used`] : 0);
    entry.sent = { ...state };
    entry.sentEpoch = this.epoch;
    return { state, unsent: { minute: countUnsent('minute'), day: countUnsent('day') } };
  }

  /** The last state from Redis, if Redis has lost a part of it since. */
  findLost(id: string, { before, state, now }: ScriptDecision): QuotaState | undefined {
    const entry = this.entries.peek(id);
    if (entry?.returned === undefined || !hasLost(before ?? state, entry.returned, now)) return undefined;
    const isNew = entry.returnedEpoch === this.epoch;
    if (isNew) this.startEpoch();
    this.onLoss(isNew);
    return entry.returned;
  }

  /** Stores a state that Redis returned. */
  store(id: string, { state, now }: ScriptDecision): void {
    this.redisTime = { now, readAt: this.clock() };
    const [returnedEpoch, sentEpoch] = [this.epoch, this.epoch];
    this.entries.set(id, { state, returned: state, returnedEpoch, sent: state, sentEpoch });
  }

  /** The state to count in, in place, during an outage. */
  getLocalState(id: string): QuotaState {
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
    this.startEpoch();
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
    const entry = { state: newQuotaState(), returned: undefined, returnedEpoch: 0, sent: undefined, sentEpoch: 0 };
    this.entries.set(id, entry);
    return entry;
  }
}
