import { setTimeout as delay } from 'node:timers/promises';
import { OutageLog } from '../../database/outage-log.js';
import type { RedisTarget } from '../../database/redis/redis-target.js';
import type { Clock } from '../../lib/clock.js';
import type { BanRules } from '../../openapi/document.js';
import type { Decision } from '../decide.js';
import { MemoryRateLimitStore } from '../memory/memory-store.js';
import { noJournal } from '../memory/no-journal.js';
import type { RateLimitClient, RateLimitStore } from '../rate-limit-store.js';
import { KnownQuotas } from './known-quotas.js';
import { RedisConnection, reasonOf } from './redis-connection.js';
import { RedisRateLimitStore } from './redis-store.js';

/** How long a request waits for Redis, in milliseconds, before this node decides about it and those after it. */
const responseTimeoutMs = 150;
/**
 * How long to wait before the first attempt to reconnect, and at most: the pause doubles with each attempt. In
 * milliseconds.
 */
const retryPausesMs = { first: 50, last: 1000 };
/**
 * How many states are written back in one batch, and the pause between batches, in milliseconds: requests must not wait
 * for them.
 */
const restoring = { count: 50, pauseMs: 100 };

/**
 * The counters in Redis and, while Redis does not answer, in the memory of this process. One request that waits too
 * long, or one lost connection, is enough: from then on nobody waits, until a connection that was opened beside the
 * requests has proved itself. States that Redis has lost are written back.
 */
export class FailoverRateLimitStore implements RateLimitStore {
  private shared: RedisRateLimitStore | undefined;
  private readonly local: MemoryRateLimitStore;
  private readonly known: KnownQuotas;
  private readonly outages: OutageLog;
  private retryPauseMs = retryPausesMs.first;
  private retryTimer: NodeJS.Timeout | undefined;
  private isLossRecorded = false;
  private lossCount = 0;
  private isClosed = false;

  constructor(
    private readonly target: RedisTarget,
    private readonly rules: BanRules,
    clock: Clock,
    /** Told when Redis is lost and when it is back, and of defects. */
    report: (told: unknown) => void,
  ) {
    this.known = new KnownQuotas(clock, (isNew) => this.recordLoss(isNew));
    this.local = new MemoryRateLimitStore(rules, () => this.known.now(), noJournal, report);
    this.outages = new OutageLog(`Redis at ${target.description}`, clock, report);
  }

  /** Resolves once Redis is there, or has proved not to be. Never rejects. */
  async start(): Promise<void> {
    try {
      this.useShared(await this.connect());
    } catch (error) {
      this.useLocal(error);
    }
  }

  /** Whether this node counts by itself. */
  get isLocal(): boolean {
    return this.shared === undefined;
  }

  /** How many losses of counters in Redis were detected. */
  get losses(): number {
    return this.lossCount;
  }

  consume(client: RateLimitClient): Promise<Decision> {
    return this.call('consume', client);
  }

  peek(client: RateLimitClient): Promise<Decision> {
    return this.call('peek', client);
  }

  /** Detects losses and applies unbans beside the requests. To be called every `pollIntervalMs`. */
  async pollDataSet(): Promise<void> {
    const { shared } = this;
    try {
      await shared?.pollDataSet();
    } catch (error) {
      if (shared !== undefined) this.onConnectionLost(shared, error);
    }
  }

  /** Tells that Redis is back, once it has stayed. To be called every second. */
  checkRecovery(): void {
    this.outages.endIf(() => !this.isLocal);
    if (this.outages.isActive) return;
    this.isLossRecorded = false;
    this.retryPauseMs = retryPausesMs.first;
  }

  /** Forgets budgets that have nothing left to remember. To be called now and then. */
  sweep(): Promise<void> {
    return this.local.sweep();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retryTimer);
    this.shared?.close();
    await this.local.close();
  }

  private async call(what: 'consume' | 'peek', client: RateLimitClient): Promise<Decision> {
    const { shared } = this;
    if (shared !== undefined) {
      try {
        return await shared[what](client);
      } catch (error) {
        this.onConnectionLost(shared, error);
      }
    }
    if (client.kind === 'quota') this.local.adopt(client.id, this.known.stateOf(client.id));
    return this.local[what](client);
  }

  /** @throws unless Redis can do all that a request needs of it. */
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
    this.known.beginEra();
    void this.restore(store);
  }

  /** Writes back every known state, unless a new era begins meanwhile, which writes them back itself. Never rejects. */
  private async restore(store: RedisRateLimitStore): Promise<void> {
    const { era } = this.known;
    const ids = this.known.unsent();
    try {
      for (let from = 0; from < ids.length; from += restoring.count) {
        await Promise.all(ids.slice(from, from + restoring.count).map((id) => store.restore(id)));
        await delay(restoring.pauseMs, undefined, { ref: false });
        if (this.shared !== store || this.known.era !== era) return;
      }
    } catch (error) {
      this.onConnectionLost(store, error);
    }
  }

  private recordLoss(isNew: boolean): void {
    if (!this.isLossRecorded) this.lossCount += 1;
    this.isLossRecorded = true;
    this.outages.record('it has lost counters, so this node writes back what it knows');
    if (isNew && this.shared !== undefined) void this.restore(this.shared);
  }

  /** Many requests may find out at the same time; the first of them says so. */
  private onConnectionLost(store: RedisRateLimitStore, error: unknown): void {
    if (this.shared === store && !this.isClosed) this.useLocal(error);
  }

  private useLocal(error: unknown): void {
    const lost = this.shared;
    this.shared = undefined;
    // Whoever still waits for it is turned away there, and comes back to be decided about here.
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
      // It was told that Redis is away, and nothing has changed.
      if (!this.isClosed) this.retryLater();
    }
  }
}
