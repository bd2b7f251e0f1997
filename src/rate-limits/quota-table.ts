import type { SqliteDatabase } from '../database/sqlite/database.js';
import { newQuotaState, type QuotaState, resetFields } from './decide.js';

type Row = QuotaState & { readonly quotaId: string };

const fields = ['quotaId', ...Object.keys(newQuotaState)];
const toColumn = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const selectAll = `SELECT ${fields.map((field) => `${toColumn(field)} AS ${field}`).join(', ')} FROM rate_limit_windows`;
const upsert =
  `REPLACE INTO rate_limit_windows (${fields.map(toColumn).join(', ')}) ` +
  `VALUES (${fields.map((field) => `@${field}`).join(', ')})`;

/** The saved windows of quotas in the SQLite database. Methods reject with ApiError `store_unavailable`. */
export class QuotaTable {
  constructor(private readonly db: Pick<SqliteDatabase, 'prepare' | 'run' | 'commit'>) {}

  async load(): Promise<Map<string, QuotaState>> {
    const rows = await this.db.run(() => this.db.prepare<[], Row>(selectAll).all());
    return new Map(rows.map(({ quotaId, ...state }) => [quotaId, state]));
  }

  /** Saves the states of quotas, deletes those that are `undefined`, and applies resets, in one transaction. */
  save(states: ReadonlyMap<string, QuotaState | undefined>, resets: readonly string[]): Promise<void> {
    return this.db.commit(() => {
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
    await this.db.commit(() => this.db.prepare('REPLACE INTO rate_limit_resets VALUES (?)').run(quotaId));
  }

  requestedResets(): Promise<readonly string[]> {
    return this.db.run(() => this.db.prepare<[], string>('SELECT quota_id FROM rate_limit_resets').pluck().all());
  }
}
