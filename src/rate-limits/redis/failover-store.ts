import { setTimeout as delay } from 'node:timers/promises';
import { OutageLog } from '../../database/outage-log.js';
import type { RedisTarget } from '../../database/redis/redis-target.js';
import type { Clock } from '../../lib/clock.js';
import { reasonOf, StoreEvent } from '../../lib/errors.js';
import type { BanRules } from '../../openapi/document.js';
import type { Decision } from '../decide.js';
import { MemoryRateLimitStore } from '../memory/memory-store.js';
import { type Quota, type RunningQuotaStore, sweepIntervalMs } from '../quota-store.js';
import { KnownQuotas } from './known-quotas.js';
import { RedisConnection } from './redis-connection.js';
import { RedisRateLimitStore } from './redis-store.js';
import { pollIntervalMs } from './scripts.js';

/** How long a request waits for Redis before this node decides about it, and about those after it. */
const responseTimeoutMs = 150;
/** The pause before the first attempt to reconnect, which doubles with each attempt, and its maximum. */
const retryPausesMs = { first: 50, last: 1000 };
/** How many states are written back in one batch, and the pause between batches, so that requests need not wait. */
const restoring = { count: 50, pauseMs: 100 };
const recoveryCheckIntervalMs = 1000;
/** Losses that follow each other within this time are one: every quota may be found to be lost. */
const lossPauseMs = 2000;

/**
 * The counters in Redis or, while Redis is unavailable, in the memory of this process. One timeout or one lost
 * connection is enough: requests are then decided locally until a new connection has passed a probe. States that Redis
 * has lost are written back.
 */
export class FailoverRateLimitStore implements RunningQuotaStore {
  readonly scheduledTasks = [
    { intervalMs: pollIntervalMs, run: () => this.pollDataSet() },
    { intervalMs: recoveryCheckIntervalMs, run: () => this.checkRecovery() },
    { intervalMs: sweepIntervalMs, run: () => this.local.sweep() },
  ];
  private readonly name: string;
  private shared: RedisRateLimitStore | undefined;
  private readonly local: MemoryRateLimitStore;
  private readonly known: KnownQuotas;
  private readonly outages: OutageLog;
  private retryPauseMs = retryPausesMs.first;
  private retryTimer: NodeJS.Timeout | undefined;
  /** When the last loss was detected. */
  private lostAt = -Infinity;
  private lossCount = 0;
  private isClosed = false;

  constructor(
    private readonly target: RedisTarget,
    private readonly rules: BanRules,
    clock: Clock,
    /** Receives outages of Redis, losses and internal errors. */
    private readonly report: (event: unknown) => void,
  ) {
    this.name = `Redis at ${target.description}`;
    this.known = new KnownQuotas(clock, (isNew) => this.recordLoss(isNew));
    this.local = new MemoryRateLimitStore(rules, () => this.known.now(), report);
    this.outages = new OutageLog(this.name, clock, report);
  }

  /** Resolves when Redis is connected or unavailable. Never rejects. */
  async start(): Promise<void> {
    try {
      this.useShared(await this.connect());
    } catch (error) {
      this.useLocal(error);
    }
  }

  get isDegraded(): boolean {
    return this.shared === undefined;
  }

  get losses(): number {
    return this.lossCount;
  }

  consume(client: Quota): Promise<Decision> {
    return this.call('consume', client);
  }

  peek(client: Quota): Promise<Decision> {
    return this.call('peek', client);
  }

  /** Detects losses and applies unbans, also while there are no requests. */
  async pollDataSet(): Promise<void> {
    const { shared } = this;
    try {
      await shared?.pollDataSet();
    } catch (error) {
      if (shared !== undefined) this.onConnectionLost(shared, error);
    }
  }

  /** Ends an outage once Redis has stayed available. */
  checkRecovery(): void {
    this.outages.endIf(() => !this.isDegraded);
    if (!this.outages.isActive) this.retryPauseMs = retryPausesMs.first;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retryTimer);
    this.shared?.close();
    await this.local.close();
  }

  private async call(method: 'consume' | 'peek', client: Quota): Promise<Decision> {
    const { shared } = this;
    if (shared !== undefined) {
      try {
        return await shared[method](client);
      } catch (error) {
        this.onConnectionLost(shared, error);
      }
    }
    if (client.kind === 'quota') this.local.setState(client.id, this.known.getLocalState(client.id));
    return this.local[method](client);
  }

  /** @throws unless Redis can do everything that a request needs. */
  private async connect(): Promise<RedisRateLimitStore> {
    const connection = await RedisConnection.open(this.target, responseTimeoutMs);
    const store = new RedisRateLimitStore(connection, this.rules, this.known);
    try {
      await store.probe();
    } catch (error) {
      store.close();
      throw error;
    }
    connection.onLost = (error) => this.onConnectionLost(store, error);
    return store;
  }

  private useShared(store: RedisRateLimitStore): void {
    if (this.isClosed) {
      store.close();
      return;
    }
    this.shared = store;
    this.known.startEpoch();
    void this.restore(store);
  }

  /** Writes back every known state, until a new epoch begins, which does the same. Never rejects. */
  private async restore(store: RedisRateLimitStore): Promise<void> {
    const { epoch } = this.known;
    const ids = this.known.unsentIds();
    try {
      for (let from = 0; from < ids.length; from += restoring.count) {
        await Promise.all(ids.slice(from, from + restoring.count).map((id) => store.restore(id)));
        await delay(restoring.pauseMs, undefined, { ref: false });
        if (this.shared !== store || this.known.epoch !== epoch) return;
      }
    } catch (error) {
      this.onConnectionLost(store, error);
    }
  }

  private recordLoss(isNew: boolean): void {
    const now = performance.now();
    if (now >= this.lostAt + lossPauseMs) {
      this.lossCount += 1;
      const message = `${this.name} has lost counters, so this node writes back its known states.`;
      this.report(new StoreEvent('counters lost', message));
    }
    this.lostAt = now;
    if (isNew && this.shared !== undefined) void this.restore(this.shared);
  }

  /** Many requests may fail at the same time; the first one switches to the local counters. */
  private onConnectionLost(store: RedisRateLimitStore, error: unknown): void {
    if (this.shared === store && !this.isClosed) this.useLocal(error);
  }

  private useLocal(error: unknown): void {
    const lost = this.shared;
    this.shared = undefined;
    // Rejects the requests that still wait for Redis; `call` then decides about them locally.
    lost?.close();
    this.outages.record(`${reasonOf(error)}, so this node counts by itself`);
    this.retryLater();
  }

  private retryLater(): void {
    this.retryTimer = setTimeout(() => void this.retry(), this.retryPauseMs).unref();
    this.retryPauseMs = Math.min(2 * this.retryPauseMs, retryPausesMs.last);
  }

  private async retry(): Promise<void> {
    try {
      this.useShared(await this.connect());
    } catch {
      // The outage has been recorded already.
      if (!this.isClosed) this.retryLater();
    }
  }
}
