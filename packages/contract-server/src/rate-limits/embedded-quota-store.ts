import type { BanRule, LimitedQuota } from '@contract-server/core/contract/document.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import type { SqliteDatabase } from '../database/sqlite/database.js';
import { type Decision, newQuotaState, type QuotaState, resetFields } from './decide.js';
import { MemoryQuotaStore } from './memory-quota-store.js';
import type { RunningQuotaStore } from './quota-store.js';

type QuotaDatabase = Pick<SqliteDatabase, 'prepare' | 'run' | 'transaction'>;

/**
 * Quotas in the memory of this process, which are saved every second and on close: a graceful stop loses none, and a
 * kill loses at most the last second. An unavailable database fails no request.
 */
export class EmbeddedQuotaStore implements RunningQuotaStore {
  readonly isDegraded = false;
  private readonly memory: MemoryQuotaStore;
  /** The quotas that differ from the table. */
  private readonly changed = new Set<string>();

  private constructor(
    rule: BanRule,
    clock: Clock,
    private readonly table: QuotaTable,
    states: Map<string, QuotaState>,
  ) {
    this.memory = new MemoryQuotaStore(rule, clock, states, (id) => this.changed.add(id));
  }

  /** Loads the quotas that are saved. @throws ApiError `store_unavailable` */
  static async open(rule: BanRule, clock: Clock, db: QuotaDatabase): Promise<EmbeddedQuotaStore> {
    const table = new QuotaTable(db);
    const store = new EmbeddedQuotaStore(rule, clock, table, await table.load());
    for (const id of await table.requestedResets()) await store.memory.reset(id);
    return store;
  }

  consume(quota: LimitedQuota): Promise<Decision> {
    return this.memory.consume(quota);
  }

  peek(quota: LimitedQuota): Promise<Decision> {
    return this.memory.peek(quota);
  }

  /** Applied by the next save of the server, which may be another process. */
  async reset(id: string): Promise<void> {
    await this.memory.reset(id);
    await this.table.requestReset(id);
  }

  /** @throws ApiError `store_unavailable`; then the changes are saved with the next call. */
  async maintain(): Promise<void> {
    await this.memory.maintain();
    await this.save();
  }

  /** @throws ApiError `store_unavailable`; then the changes of the last second are lost. */
  close(): Promise<void> {
    return this.save();
  }

  private async save(): Promise<void> {
    const resets = await this.table.requestedResets();
    const ids = [...this.changed, ...resets];
    if (ids.length === 0) return;
    this.changed.clear();
    try {
      await this.table.save(new Map(ids.map((id) => [id, this.memory.find(id)])), resets);
    } catch (error) {
      for (const id of ids) this.changed.add(id);
      throw error;
    }
    // Not before, because the next call finds a reset again whose save fails.
    for (const id of resets) await this.memory.reset(id);
  }
}

type Row = QuotaState & { readonly quotaId: string };

const fields = ['quotaId', ...Object.keys(newQuotaState)];
const toColumn = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const selectAll = `SELECT ${fields.map((field) => `${toColumn(field)} AS ${field}`).join(', ')} FROM rate_limit_windows`;
const upsert =
  `REPLACE INTO rate_limit_windows (${fields.map(toColumn).join(', ')}) ` +
  `VALUES (${fields.map((field) => `@${field}`).join(', ')})`;

/** The saved windows of quotas in the SQLite database. Methods reject with ApiError `store_unavailable`. */
export class QuotaTable {
  constructor(private readonly db: QuotaDatabase) {}

  async load(): Promise<Map<string, QuotaState>> {
    const rows = await this.db.run(() => this.db.prepare<[], Row>(selectAll).all());
    return new Map(rows.map(({ quotaId, ...state }) => [quotaId, state]));
  }

  /** Saves the states of quotas, deletes those that are `undefined`, and applies resets, in one transaction. */
  save(states: ReadonlyMap<string, QuotaState | undefined>, resets: readonly string[]): Promise<void> {
    return this.db.transaction(() => {
      const save = this.db.prepare(upsert);
      const remove = this.db.prepare('DELETE FROM rate_limit_windows WHERE quota_id = ?');
      const complete = this.db.prepare('DELETE FROM rate_limit_resets WHERE quota_id = ?');
      for (const [quotaId, state] of states) {
        if (state === undefined) remove.run(quotaId);
        else save.run({ quotaId, ...state, ...(resets.includes(quotaId) && resetFields) });
      }
      for (const quotaId of resets) complete.run(quotaId);
    });
  }

  /** Requests that the server resets a quota with its next save. */
  async requestReset(quotaId: string): Promise<void> {
    await this.db.transaction(() => this.db.prepare('REPLACE INTO rate_limit_resets VALUES (?)').run(quotaId));
  }

  requestedResets(): Promise<readonly string[]> {
    return this.db.run(() => this.db.prepare<[], string>('SELECT quota_id FROM rate_limit_resets').pluck().all());
  }
}
