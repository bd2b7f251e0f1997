import type { Clock } from '../lib/clock.js';
import type { BanRule } from '../openapi/document.js';
import { type Decision, decide, isIdle, newQuotaState, peek, type QuotaState, resetFields } from './decide.js';
import type { Quota, RunningQuotaStore } from './quota-store.js';
import type { QuotaTable } from './quota-table.js';

/** How often states are deleted that no longer affect a decision. */
const sweepIntervalMs = 10 * 60_000;

/**
 * Quotas in the memory of this process. With a table, changed quotas are saved every second and on close: a graceful
 * stop loses none, and a kill loses at most the last second. An unavailable table fails no request.
 */
export class EmbeddedQuotaStore implements RunningQuotaStore {
  readonly isDegraded = false;
  /** The quotas that differ from the table. */
  private readonly changed = new Set<string>();
  private sweptAt: number;

  constructor(
    private readonly rule: BanRule,
    private readonly clock: Clock,
    private readonly table?: QuotaTable,
    private readonly states = new Map<string, QuotaState>(),
  ) {
    this.sweptAt = clock();
  }

  /** Loads the table, if there is one. @throws ApiError `store_unavailable` */
  static async open(rule: BanRule, clock: Clock, table?: QuotaTable): Promise<EmbeddedQuotaStore> {
    const store = new EmbeddedQuotaStore(rule, clock, table, await table?.load());
    for (const id of (await table?.requestedResets()) ?? []) store.resetState(id);
    return store;
  }

  consume({ id, limits }: Quota): Promise<Decision> {
    let state = this.states.get(id);
    if (state === undefined) {
      state = { ...newQuotaState };
      this.states.set(id, state);
    }
    if (this.table !== undefined) this.changed.add(id);
    return Promise.resolve(decide(state, limits, this.rule, this.clock()));
  }

  peek({ id, limits }: Quota): Promise<Decision> {
    return Promise.resolve(peek(this.states.get(id) ?? newQuotaState, limits, this.rule, this.clock()));
  }

  /** Applied by the next save of the server, which may be another process. */
  async reset(id: string): Promise<void> {
    this.resetState(id);
    await this.table?.requestReset(id);
  }

  /** @throws ApiError `store_unavailable`; then the changes are saved with the next call. */
  async maintain(): Promise<void> {
    if (this.clock() >= this.sweptAt + sweepIntervalMs) this.sweep();
    if (this.table !== undefined) await this.save(this.table);
  }

  /** @throws ApiError `store_unavailable`; then the changes of the last second are lost. */
  async close(): Promise<void> {
    if (this.table !== undefined) await this.save(this.table);
  }

  private async save(table: QuotaTable): Promise<void> {
    const resets = await table.requestedResets();
    const ids = [...this.changed, ...resets];
    if (ids.length === 0) return;
    this.changed.clear();
    try {
      await table.save(new Map(ids.map((id) => [id, this.states.get(id)])), resets);
    } catch (error) {
      for (const id of ids) this.changed.add(id);
      throw error;
    }
    // Not before, because the next call finds a reset again whose save fails.
    for (const id of resets) this.resetState(id);
  }

  private resetState(id: string): void {
    const state = this.states.get(id);
    if (state !== undefined) Object.assign(state, resetFields);
  }

  private sweep(): void {
    const now = this.clock();
    this.sweptAt = now;
    for (const [id, state] of this.states) {
      if (!isIdle(state, now)) continue;
      this.states.delete(id);
      if (this.table !== undefined) this.changed.add(id);
    }
  }
}
