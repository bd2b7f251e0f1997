import { LRUCache } from 'lru-cache';
import type { BanRules } from '../../contract/document.js';
import type { Clock } from '../../domain/clock.js';
import type { LimitStore, Subject } from '../../domain/limit-store.js';
import type { Admission, BudgetState } from '../../domain/limits.js';
import { MemoryLimitStore } from '../memory/limit-store.js';
import { noJournal } from '../memory/no-journal.js';
import { TroubleLog } from '../trouble-log.js';
import { RedisLimitStore } from './limit-store.js';
import { reasonOf } from './reason.js';
import { RedisConnection } from './redis-connection.js';
import type { RedisTarget } from './redis-target.js';

/** How long a request waits for Redis, in milliseconds, before this node decides about it and those after it. */
const answerTimeoutMs = 150;
/** How long after Redis was lost, and after each attempt since, it is tried again, in milliseconds. */
const retryPauseMs = 1000;
/** Of how many budgets it is remembered where they stood. */
const seenBudgetsMax = 10_000;

/**
 * The counters in Redis and, while Redis does not answer, in the memory of this process. One request that waits too long, or one lost
 * connection, is enough: from then on nobody waits, until a connection that was opened beside the requests has proved itself.
 */
export class FailoverLimitStore implements LimitStore {
  private shared: RedisLimitStore | undefined;
  private readonly local: MemoryLimitStore;
  /** Where budgets stood when Redis last decided about them: this node goes on from there. */
  private readonly seen = new LRUCache<string, BudgetState>({ max: seenBudgetsMax });
  private readonly trouble: TroubleLog;
  private retryTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly target: RedisTarget,
    private readonly rules: BanRules,
    clock: Clock,
    /** Told when Redis is lost and when it is back, and of defects. */
    report: (told: unknown) => void,
  ) {
    this.local = new MemoryLimitStore(rules, clock, noJournal, report);
    this.trouble = new TroubleLog(`Redis at ${target.description}`, clock, report);
  }

  /** Resolves once Redis is there, or has proved not to be. Never rejects. */
  async start(): Promise<void> {
    try {
      this.shared = await this.connect();
    } catch (error) {
      this.goLocal(error);
    }
  }

  /** Whether this node counts by itself. */
  get isLocal(): boolean {
    return this.shared === undefined;
  }

  admit(subject: Subject): Promise<Admission> {
    return this.ask('admit', subject);
  }

  peek(subject: Subject): Promise<Admission> {
    return this.ask('peek', subject);
  }

  /** Tells that Redis is back, once it has stayed. To be called every second. */
  tend(): void {
    this.trouble.endIf(() => !this.isLocal);
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

  private async ask(what: 'admit' | 'peek', subject: Subject): Promise<Admission> {
    const { shared } = this;
    if (shared !== undefined) {
      try {
        return await shared[what](subject);
      } catch (error) {
        this.lose(shared, error);
      }
    }
    this.goOnFromSeen(subject);
    return this.local[what](subject);
  }

  private goOnFromSeen({ kind, id }: Subject): void {
    const state = kind === 'budget' ? this.seen.get(id) : undefined;
    if (state === undefined) return;
    this.local.adopt(id, state);
    this.seen.delete(id);
  }

  /** @throws unless Redis can do all that a request needs of it. */
  private async connect(): Promise<RedisLimitStore> {
    const connection = await RedisConnection.open(this.target, answerTimeoutMs);
    const store = new RedisLimitStore(connection, this.rules, (id, state) => this.seen.set(id, state));
    try {
      await store.probe();
    } catch (error) {
      store.close();
      throw error;
    }
    connection.onLost = (error) => this.lose(store, error);
    return store;
  }

  /** Many requests may find out at the same time; the first of them says so. */
  private lose(store: RedisLimitStore, error: unknown): void {
    if (this.shared === store && !this.isClosed) this.goLocal(error);
  }

  private goLocal(error: unknown): void {
    const lost = this.shared;
    this.shared = undefined;
    // Whoever still waits for it is turned away there, and comes back to be decided about here.
    lost?.close();
    this.trouble.note(`${reasonOf(error)}, so this node counts by itself`);
    this.retryLater();
  }

  private retryLater(): void {
    this.retryTimer = setTimeout(() => void this.retry(), retryPauseMs).unref();
  }

  private async retry(): Promise<void> {
    try {
      const store = await this.connect();
      if (this.isClosed) store.close();
      else this.shared = store;
    } catch {
      // It was told that Redis is away, and nothing has changed.
      if (!this.isClosed) this.retryLater();
    }
  }
}
