import { open } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import { forgive, type LimitLedger } from '../../domain/limit-store.js';
import type { BudgetState } from '../../domain/limits.js';
import type { LimitJournal } from '../memory/limit-store.js';
import { withRetry } from './retry.js';

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
] as const satisfies readonly (readonly [column: string, field: keyof BudgetState])[];

type Row = { readonly budget_id: string } & Readonly<Record<(typeof fields)[number][0], number>>;

/**
 * The counters in a file of their own, which is written without waiting for the disk: a kill of the process loses nothing, a power cut at
 * most what was written since the last `sync`.
 */
export class SqliteLimitJournal implements LimitJournal, LimitLedger {
  private readonly upsert: Database.Statement;
  private readonly writeAll: (states: ReadonlyMap<string, BudgetState>) => void;
  private seenVersion: unknown;
  private isDirty = false;

  constructor(private readonly db: Database.Database) {
    const places = ['?', ...fields.map(() => '?')].join(', ');
    this.upsert = db.prepare(`INSERT OR REPLACE INTO counters VALUES (${places})`);
    this.writeAll = db.transaction((states: ReadonlyMap<string, BudgetState>) => {
      for (const [id, state] of states) this.upsert.run(id, ...fields.map(([, field]) => state[field]));
    });
  }

  readAll(): ReadonlyMap<string, BudgetState> {
    const rows = this.db.prepare<[], Row>('SELECT * FROM counters').all();
    return new Map(rows.map((row) => [row.budget_id, toState(row)]));
  }

  write(states: ReadonlyMap<string, BudgetState>): Promise<void> {
    return withRetry(() => {
      this.writeAll(states);
      this.isDirty = true;
    });
  }

  remove(ids: readonly string[]): void {
    const remove = this.db.prepare('DELETE FROM counters WHERE budget_id = ?');
    this.db.transaction(() => ids.forEach((id) => remove.run(id)))();
  }

  pardons(): readonly string[] {
    // The version changes when another connection has written; only then is there something to look for.
    const version = this.db.pragma('data_version', { simple: true });
    if (version === this.seenVersion) return [];
    const ids = this.pardonedIds();
    if (ids.length === 0) this.seenVersion = version;
    return ids;
  }

  grant(ids: readonly string[], states: ReadonlyMap<string, BudgetState>): Promise<void> {
    const remove = this.db.prepare('DELETE FROM pardons WHERE budget_id = ?');
    const grantAll = this.db.transaction(() => {
      this.writeAll(states);
      for (const id of ids) remove.run(id);
    });
    return withRetry(() => grantAll());
  }

  /** Brings what was written to the disk, off the event loop. Called every second, it bounds what a power cut can cost. */
  async sync(): Promise<void> {
    if (!this.isDirty) return;
    this.isDirty = false;
    try {
      await syncFile(`${this.db.name}-wal`);
    } catch (error) {
      this.isDirty = true;
      throw error;
    }
  }

  usage(): Promise<ReadonlyMap<string, BudgetState>> {
    return withRetry(() => {
      const states = this.readAll();
      for (const id of this.pardonedIds()) {
        const state = states.get(id);
        if (state !== undefined) forgive(state);
      }
      return states;
    });
  }

  async pardon(budgetId: string): Promise<void> {
    await withRetry(() => this.db.prepare('INSERT OR IGNORE INTO pardons VALUES (?)').run(budgetId));
  }

  private pardonedIds(): string[] {
    return this.db.prepare<[], string>('SELECT budget_id FROM pardons').pluck().all();
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

function toState(row: Row): BudgetState {
  return Object.fromEntries(fields.map(([column, field]) => [field, row[column]])) as unknown as BudgetState;
}
