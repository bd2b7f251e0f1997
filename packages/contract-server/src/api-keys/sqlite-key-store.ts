import type Database from 'better-sqlite3';
import type { SqliteDatabase } from '../database/sqlite/database.js';
import {
  type ApiKey,
  type KeyChanges,
  type KeyCount,
  type KeyStore,
  type PlanChange,
  type StoredKey,
  type StoredQuota,
} from './api-key.js';
import { countUsableKeys, type KeyCountRow, type KeyRow, selectKeys, toKey, toKeyCount } from './key-row.js';

const changeableColumns = [
  ['name', 'name'],
  ['expiresAt', 'expires_at'],
  ['revokedAt', 'revoked_at'],
] as const;

export class SqliteKeyStore implements KeyStore {
  private readonly byHash: Database.Statement<[Buffer], KeyRow>;

  constructor(private readonly db: SqliteDatabase) {
    this.byHash = this.prepareSelect('WHERE token_hash = ?');
  }

  insert(stored: StoredKey): Promise<void> {
    return this.db.transaction(() => {
      this.insertQuota(stored.key.quota);
      this.insertKey(stored);
    });
  }

  async findByHash(tokenHash: Buffer): Promise<ApiKey | undefined> {
    const row = await this.db.run(() => this.byHash.get(tokenHash));
    return row && toKey(row);
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const row = await this.db.run(() => this.prepareSelect<[string]>('WHERE api_keys.id = ?').get(id));
    return row && toKey(row);
  }

  update(id: string, changes: KeyChanges): Promise<void> {
    return this.db.transaction(() => {
      for (const [field, column] of changeableColumns) {
        if (field in changes)
          this.db.prepare(`UPDATE api_keys SET ${column} = ? WHERE id = ?`).run(changes[field] ?? null, id);
      }
      if (changes.plan !== undefined) this.updateQuota(id, changes.plan);
    });
  }

  rotate(id: string, expiresAt: number, successor: ApiKey, tokenHash: Buffer): Promise<boolean> {
    const { createdAt } = successor;
    return this.db.transaction(() => {
      const mark = this.db.prepare(
        'UPDATE api_keys SET rotated_at = ?, expires_at = ? WHERE id = ? AND rotated_at IS NULL',
      );
      if (mark.run(createdAt, expiresAt, id).changes === 0) return false;
      this.insertKey({ key: successor, tokenHash });
      return true;
    });
  }

  async list(): Promise<readonly ApiKey[]> {
    const keys = this.prepareSelect<[]>('ORDER BY created_at, api_keys.rowid');
    return (await this.db.run(() => keys.all())).map(toKey);
  }

  async isEmpty(): Promise<boolean> {
    const anyKey = this.db.prepare('SELECT 1 FROM api_keys LIMIT 1');
    return (await this.db.run(() => anyKey.get())) === undefined;
  }

  async countUsable(now: number): Promise<readonly KeyCount[]> {
    const counts = this.db.prepare<[number], KeyCountRow>(countUsableKeys('?'));
    return (await this.db.run(() => counts.all(now))).map(toKeyCount);
  }

  markUsed(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.db.transaction(() => {
      const mark = this.db.prepare('UPDATE api_keys SET last_used_at = max(?, coalesce(last_used_at, 0)) WHERE id = ?');
      for (const [id, usedAt] of uses) mark.run(usedAt, id);
    });
  }

  private insertQuota({ id, plan, limits }: StoredQuota): void {
    const { requestsPerMinute = null, requestsPerDay = null } = limits ?? {};
    this.db.prepare('INSERT INTO quotas VALUES (?, ?, ?, ?)').run(id, plan, requestsPerMinute, requestsPerDay);
  }

  private insertKey({ key, tokenHash }: StoredKey): void {
    const { id, name, quota, createdAt, expiresAt = null, revokedAt = null, rotatedAt = null, lastUsedAt = null } = key;
    this.db
      .prepare('INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(id, tokenHash, name, quota.id, createdAt, expiresAt, revokedAt, rotatedAt, lastUsedAt);
  }

  private updateQuota(keyId: string, { plan, limits }: PlanChange): void {
    this.db
      .prepare(
        `UPDATE quotas SET plan = ?, requests_per_minute = ?, requests_per_day = ?
         WHERE id = (SELECT quota_id FROM api_keys WHERE id = ?)`,
      )
      .run(plan, limits?.requestsPerMinute ?? null, limits?.requestsPerDay ?? null, keyId);
  }

  private prepareSelect<Parameters extends unknown[]>(condition: string): Database.Statement<Parameters, KeyRow> {
    return this.db.prepare<Parameters, KeyRow>(`${selectKeys} ${condition}`);
  }
}
