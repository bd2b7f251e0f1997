import type Database from 'better-sqlite3';
import type { StoreDatabase } from '../../database/sqlite/store-database.js';
import { newQuotaState, type QuotaState } from '../decide.js';
import type { RateLimitJournal } from '../memory/memory-store.js';
import { clearBan, type UsageAdministration } from '../rate-limit-store.js';

/** The columns of the counters, in the order of the table, and the fields that they hold. */
const fields = [
  ['minute_started_at', 'minuteStartedAt'],
  ['minute_used', 'minuteUsed'],
  ['minute_refused', 'minuteRefused'],
  ['day_started_at', 'dayStartedAt'],
  ['day_used', 'dayUsed'],
  ['abused_minutes', 'abusedMinutes'],
  ['abused_started_at', 'abusedStartedAt'],
  ['bans', 'bans'],
  ['banned_at', 'bannedAt'],
  ['banned_until', 'bannedUntil'],
] as const satisfies readonly (readonly [column: string, field: keyof QuotaState])[];

type Row = { readonly budget_id: string } & Readonly<Record<(typeof fields)[number][0], number>>;

/**
 * How long requests may wait for the lock of another process before they go on without the file, in milliseconds: the
 * creation that follows may have to wait for another lock.
 */
const lockTimeoutMs = 100;

/**
 * The counters in a file of their own, which is written without waiting for the disk: a kill of the process loses
 * nothing, a power cut at most what was written since the last `sync`.
 */
export class SqliteRateLimitJournal implements RateLimitJournal, UsageAdministration {
  /** Prepared when it is first used: on a full disk there may be no table at the start. */
  private upsert: Database.Statement | undefined;
  private seenVersion: unknown;
  private isDirty = false;

  constructor(private readonly db: StoreDatabase) {}

  readAll(): ReadonlyMap<string, QuotaState> {
    return this.db.isAttached ? this.db.runNow(() => this.readRows()) : new Map();
  }

  async write(states: ReadonlyMap<string, QuotaState>): Promise<void> {
    await this.db.commit(() => this.upsertAll(states), this.db.hasOutage ? 0 : lockTimeoutMs);
    this.isDirty = true;
  }

  remove(findIds: () => readonly string[]): Promise<void> {
    return this.db.commit(() => this.deleteFrom('counters', findIds()));
  }

  pendingUnbans(): readonly string[] {
    if (!this.db.isAttached) return [];
    return this.db.runNow(() => {
      // Only when another connection has written is there something to look for.
      const { version } = this.db;
      if (version === this.seenVersion) return [];
      const ids = this.readUnbans();
      if (ids.length === 0) this.seenVersion = version;
      return ids;
    });
  }

  completeUnbans(ids: readonly string[], states: ReadonlyMap<string, QuotaState>): Promise<void> {
    return this.db.commit(() => {
      this.upsertAll(states);
      this.deleteFrom('pardons', ids);
    });
  }

  /**
   * Brings what was written to the disk, off the event loop. Called every second, it bounds what a power cut can cost.
   */
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
    const wanted = new Set(quotaIds);
    return this.db.run(() => {
      const states = new Map([...this.readRows()].filter(([id]) => wanted.has(id)));
      for (const id of this.readUnbans()) {
        const state = states.get(id);
        if (state !== undefined) clearBan(state);
      }
      return states;
    });
  }

  async unban(quotaId: string): Promise<void> {
    await this.db.commit(() => this.db.prepare('INSERT OR IGNORE INTO pardons VALUES (?)').run(quotaId));
  }

  private readRows(): Map<string, QuotaState> {
    const rows = this.db.prepare<[], Row>('SELECT * FROM counters').all();
    return new Map(rows.map((row) => [row.budget_id, toState(row)]));
  }

  private readUnbans(): string[] {
    return this.db.prepare<[], string>('SELECT budget_id FROM pardons').pluck().all();
  }

  private upsertAll(states: ReadonlyMap<string, QuotaState>): void {
    const places = ['?', ...fields.map(() => '?')].join(', ');
    const upsert = (this.upsert ??= this.db.prepare(`INSERT OR REPLACE INTO counters VALUES (${places})`));
    for (const [id, state] of states) upsert.run(id, ...fields.map(([, field]) => state[field]));
  }

  private deleteFrom(table: 'counters' | 'pardons', ids: readonly string[]): void {
    const remove = this.db.prepare(`DELETE FROM ${table} WHERE budget_id = ?`);
    for (const id of ids) remove.run(id);
  }
}

function toState(row: Row): QuotaState {
  return { ...newQuotaState(), ...Object.fromEntries(fields.map(([column, field]) => [field, row[column]])) };
}
