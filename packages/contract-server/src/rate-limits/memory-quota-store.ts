import type { BanRule, LimitedQuota } from '@contract-server/core/contract/document.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import { type Decision, decide, isIdle, newQuotaState, peek, type QuotaState, resetFields } from './decide.js';
import type { RunningQuotaStore } from './quota-store.js';

/** How often states are deleted that no longer affect a decision. */
const sweepIntervalMs = 10 * 60_000;

/** Quotas in the memory of this process. */
export class MemoryQuotaStore implements RunningQuotaStore {
  readonly isDegraded = false;
  private sweptAt: number;

  /** @param onChange receives the id of each quota that a request or a sweep changes. */
  constructor(
    private readonly rule: BanRule,
    private readonly clock: Clock,
    private readonly states = new Map<string, QuotaState>(),
    private readonly onChange?: (id: string) => void,
  ) {
    this.sweptAt = clock();
  }

  consume({ id, limits }: LimitedQuota): Promise<Decision> {
    const now = this.clock();
    this.sweep(now);
    let state = this.states.get(id);
    if (state === undefined) {
      state = { ...newQuotaState };
      this.states.set(id, state);
    }
    this.onChange?.(id);
    return Promise.resolve(decide(state, limits, this.rule, now));
  }

  peek({ id, limits }: LimitedQuota): Promise<Decision> {
    return Promise.resolve(peek(this.find(id) ?? newQuotaState, limits, this.rule, this.clock()));
  }

  find(id: string): QuotaState | undefined {
    return this.states.get(id);
  }

  reset(id: string): Promise<void> {
    const state = this.states.get(id);
    if (state !== undefined) Object.assign(state, resetFields);
    return Promise.resolve();
  }

  maintain(): Promise<void> {
    this.sweep(this.clock());
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Deletes idle states, every ten minutes. */
  private sweep(now: number): void {
    if (now < this.sweptAt + sweepIntervalMs) return;
    this.sweptAt = now;
    for (const [id, state] of this.states) {
      if (!isIdle(state, now)) continue;
      this.states.delete(id);
      this.onChange?.(id);
    }
  }
}
