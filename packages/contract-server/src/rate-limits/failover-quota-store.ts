import type { BanRule, LimitedQuota } from '@contract-server/core/contract/document.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import { reasonOf, type StoreEvent } from '@contract-server/core/lib/errors.js';
import { OutageLog } from '../database/outage-log.js';
import type { Decision } from './decide.js';
import { MemoryQuotaStore } from './memory-quota-store.js';
import type { QuotaStore, RunningQuotaStore } from './quota-store.js';
import { RedisQuotaStore } from './redis-quota-store.js';
import type { RedisTarget } from './redis-target.js';

/** How long a request waits for Redis before this node decides about it, and about those after it. */
const responseTimeoutMs = 200;
/** Consumes a request, so that Redis is used only if it can do all that requests need. */
const probe: LimitedQuota = { id: 'probe', limits: { requestsPerMinute: 2 ** 53, requestsPerDay: 2 ** 53 } };

/**
 * The quotas in Redis or, while Redis is unavailable, in the memory of this process: then each node allows at most one
 * quota per window. One timeout or one lost connection is enough, so a request waits for Redis at most once.
 */
export class FailoverQuotaStore implements RunningQuotaStore {
  private shared: RedisQuotaStore | undefined;
  private readonly local: MemoryQuotaStore;
  private readonly outages: OutageLog;
  private isClosed = false;

  /** @param keyPrefix of its keys in Redis: the name of the service. */
  constructor(
    private readonly keyPrefix: string,
    private readonly target: RedisTarget,
    private readonly rule: BanRule,
    clock: Clock,
    report: (event: StoreEvent) => void,
  ) {
    this.local = new MemoryQuotaStore(rule, clock);
    this.outages = new OutageLog(`Redis at ${target.description}`, clock, report);
  }

  get isDegraded(): boolean {
    return this.shared === undefined;
  }

  consume(quota: LimitedQuota): Promise<Decision> {
    return this.call((store) => store.consume(quota));
  }

  peek(quota: LimitedQuota): Promise<Decision> {
    return this.call((store) => store.peek(quota));
  }

  reset(id: string): Promise<void> {
    return this.call((store) => store.reset(id));
  }

  /** Connects to Redis unless it is connected, and ends an outage once Redis has stayed available. Never rejects. */
  async maintain(): Promise<void> {
    if (this.shared === undefined) await this.connect();
    this.outages.check();
    await this.local.maintain();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.shared?.close();
  }

  private async call<T>(use: (store: QuotaStore) => Promise<T>): Promise<T> {
    const { shared } = this;
    if (shared === undefined) return use(this.local);
    try {
      return await use(shared);
    } catch (error) {
      this.drop(shared, error);
      return use(this.local);
    }
  }

  private async connect(): Promise<void> {
    let store: RedisQuotaStore | undefined;
    const onLost = (error: unknown) => store && this.drop(store, error);
    try {
      store = await RedisQuotaStore.open(this.keyPrefix, this.target, this.rule, responseTimeoutMs, onLost);
      await store.consume(probe);
      if (this.isClosed) await store.close();
      else this.shared = store;
      this.outages.recordSuccess();
    } catch (error) {
      await store?.close();
      // A failed attempt to reconnect belongs to the outage.
      if (!this.outages.isActive) this.recordFailure(error);
    }
  }

  /** Closes a lost connection, which rejects the requests that wait for it: they are then decided locally. */
  private drop(store: RedisQuotaStore, error: unknown): void {
    if (this.shared !== store) return;
    this.shared = undefined;
    void store.close();
    if (!this.isClosed) this.recordFailure(error);
  }

  private recordFailure(error: unknown): void {
    this.outages.recordFailure(`${reasonOf(error)}, so this node counts by itself`, error);
  }
}
