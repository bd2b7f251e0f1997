import type Database from 'better-sqlite3';
import type { StoreDatabase } from '../../database/sqlite/store-database.js';
import { newQuotaState, type QuotaState } from '../decide.js';
import { clearBan, type UsageAdministration } from '../rate-limit-store.js';

/** The columns of the table `counters`, in order, and the fields that they store. */
const fields = [
  ['minute_started_at', 'minuteStartedAt'],
  ['minute_used', 'minuteUsed'],
  ['minute_rejected', 'minuteRejected'],
  ['day_started_at', 'dayStartedAt'],
  ['day_used', 'dayUsed'],
  ['abused_minutes', 'abusedMinutes'],
  ['abused_started_at', 'abusedStartedAt'],
  ['bans', 'bans'],
  ['banned_at', 'bannedAt'],
  ['banned_until', 'bannedUntil'],
] as const satisfies readonly (readonly [column: string, field: keyof QuotaState])[];

type Row = { readonly quota_id: string } & Readonly<Record<(typeof fields)[number][0], number>>;

/** How long requests wait for a lock before they continue without the journal: a creation may then wait for another. */
const lockTimeoutMs = 100;

/**
 * The counters of quotas in a separate database file. Writes do not wait for the disk: a crash of the process loses
 * none, a power cut at most those since the last `sync`.
 */
export class SqliteRateLimitJournal implements UsageAdministration {
  /** Prepared when it is first used: on a full disk, the table may not exist yet. */
  private upsert: Database.Statement | undefined;
  private readVersion: unknown;
  private isDirty = false;

  constructor(private readonly db: StoreDatabase) {}

  readAll(): ReadonlyMap<string, QuotaState> {
    return this.db.isAttached ? this.db.runNow(() => this.readRows()) : new Map();
  }

  /** Resolves when a crash of the process cannot lose the states. @throws ApiError `store_unavailable` */
  async write(states: ReadonlyMap<string, QuotaState>): Promise<void> {
    await this.db.commit(() => this.upsertAll(states), this.db.hasOutage ? 0 : lockTimeoutMs);
    this.isDirty = true;
  }

  /** @param findIds is called when the lock is held, which may be later. */
  remove(findIds: () => readonly string[]): Promise<void> {
    return this.db.commit(() => this.deleteFrom('counters', findIds()));
  }

  /** The quotas that operators have unbanned since the last `completeUnbans`. */
  pendingUnbans(): readonly string[] {
    if (!this.db.isAttached) return [];
    return this.db.runNow(() => {
      // The version changes when another connection has written.
      const { version } = this.db;
      if (version === this.readVersion) return [];
      const ids = this.readUnbans();
      if (ids.length === 0) this.readVersion = version;
      return ids;
    });
  }

  /** Writes the states of unbanned quotas and deletes the unbans, in one transaction. */
  completeUnbans(ids: readonly string[], states: ReadonlyMap<string, QuotaState>): Promise<void> {
    return this.db.commit(() => {
      this.upsertAll(states);
      this.deleteFrom('unbans', ids);
    });
  }

  /** Syncs the writes to disk, without blocking the event loop. */
  async sync(): Promise<void> {
    if (!this.isDirty) return;
    this.isDirty = false;
    try {
      await this.db.sync();
    } catch (error) {
      this.isDirty = true;
      throw error;
    }
  }

  usage(quotaIds: Iterable<string>): Promise<ReadonlyMap<string, QuotaState>> {
    const ids = new Set(quotaIds);
    return this.db.run(() => {
      const states = new Map([...this.readRows()].filter(([id]) => ids.has(id)));
      for (const id of this.readUnbans()) {
        const state = states.get(id);
        if (state !== undefined) clearBan(state);
      }
      return states;
    });
  }

  async unban(quotaId: string): Promise<void> {
    await this.db.commit(() => this.db.prepare('INSERT OR IGNORE INTO unbans VALUES (?)').run(quotaId));
  }

  private readRows(): Map<string, QuotaState> {
    const rows = this.db.prepare<[], Row>('SELECT * FROM counters').all();
    return new Map(rows.map((row) => [row.quota_id, toState(row)]));
  }

  private readUnbans(): string[] {
    return this.db.prepare<[], string>('SELECT quota_id FROM unbans').pluck().all();
  }

  private upsertAll(states: ReadonlyMap<string, QuotaState>): void {
    const parameters = ['?', ...fields.map(() => '?')].join(', ');
    const upsert = (this.upsert ??= this.db.prepare(`INSERT OR REPLACE INTO counters VALUES (${parameters})`));
    for (const [id, state] of states) upsert.run(id, ...fields.map(([, field]) => state[field]));
  }

  private deleteFrom(table: 'counters' | 'unbans', ids: readonly string[]): void {
    const remove = this.db.prepare(`DELETE FROM ${table} WHERE quota_id = ?`);
    for (const id of ids) remove.run(id);
  }
}

function toState(row: Row): QuotaState {
  return { ...newQuotaState(), ...Object.fromEntries(fields.map(([column, field]) => [field, row[column]])) };
}
