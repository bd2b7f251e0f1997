import type Database from 'better-sqlite3';
import type { StoreDatabase } from '../database/sqlite/store-database.js';
import type { PlanName } from '../openapi/types.js';
import type { ApiKey, KeyChanges, KeyStore, PlanChange, StoredKey } from './api-key.js';

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly quota_id: string;
  readonly plan: PlanName;
  readonly requests_per_minute: number | null;
  readonly requests_per_day: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly rotated_at: number | null;
  readonly last_used_at: number | null;
  readonly token_hash: Buffer;
}

const changeableColumns = [
  ['name', 'name'],
  ['expiresAt', 'expires_at'],
  ['revokedAt', 'revoked_at'],
] as const;

const selectKeys = `
  SELECT api_keys.id, name, quota_id, plan, requests_per_minute, requests_per_day,
    created_at, expires_at, revoked_at, rotated_at, last_used_at,
    token_hash
  FROM api_keys JOIN quotas ON quotas.id = quota_id`;

export class SqliteKeyStore implements KeyStore {
  private readonly byHash: Database.Statement<[Buffer], KeyRow>;

  constructor(private readonly db: StoreDatabase) {
    this.byHash = db.prepare(`${selectKeys} WHERE token_hash = ?`);
  }

  insert(key: ApiKey, tokenHash: Buffer): Promise<void> {
    return this.write(() => this.insertRow(key, tokenHash));
  }

  async findByHash(tokenHash: Buffer): Promise<ApiKey | undefined> {
    return toKey(await this.db.run(() => this.byHash.get(tokenHash)));
  }

  async find(id: string): Promise<ApiKey | undefined> {
    return toKey(
      await this.db.run(() => this.db.prepare<[string], KeyRow>(`${selectKeys} WHERE api_keys.id = ?`).get(id)),
    );
  }

  async list(): Promise<readonly ApiKey[]> {
    return (await this.rows()).map((row) => toKey(row));
  }

  update(id: string, changes: KeyChanges): Promise<void> {
    return this.write(() => {
      for (const [field, column] of changeableColumns) {
        if (field in changes)
          this.db.prepare(`UPDATE api_keys SET ${column} = ? WHERE id = ?`).run(changes[field] ?? null, id);
      }
      if (changes.terms !== undefined) this.updateQuota(id, changes.terms);
    });
  }

  rotate(id: string, expiresAt: number, successor: ApiKey, tokenHash: Buffer): Promise<boolean> {
    const { createdAt } = successor;
    return this.write(() => {
      const mark = this.db.prepare(
        'UPDATE api_keys SET rotated_at = ?, expires_at = ? WHERE id = ? AND rotated_at IS NULL',
      );
      if (mark.run(createdAt, expiresAt, id).changes === 0) return false;
      this.insertRow(successor, tokenHash);
      return true;
    });
  }

  async exportAll(): Promise<readonly StoredKey[]> {
    return (await this.rows()).map((row) => ({ key: toKey(row), tokenHash: row.token_hash }));
  }

  insertAll(keys: readonly StoredKey[]): Promise<void> {
    return this.write(() => {
      for (const { key, tokenHash } of keys) this.insertRow(key, tokenHash);
    });
  }

  markUsed(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.write(() => {
      const mark = this.db.prepare('UPDATE api_keys SET last_used_at = max(?, coalesce(last_used_at, 0)) WHERE id = ?');
      for (const [id, usedAt] of uses) mark.run(usedAt, id);
    });
  }

  private rows(): Promise<KeyRow[]> {
    return this.db.run(() => this.db.prepare<[], KeyRow>(`${selectKeys} ORDER BY created_at, api_keys.rowid`).all());
  }

  private insertRow(key: ApiKey, tokenHash: Buffer): void {
    const { id, name, quota, createdAt, expiresAt = null, revokedAt = null, rotatedAt = null, lastUsedAt = null } = key;
    const { requestsPerMinute = null, requestsPerDay = null } = quota.limits ?? {};
    this.db
      .prepare('INSERT INTO quotas VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .run(quota.id, quota.plan, requestsPerMinute, requestsPerDay);
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

  private write<T>(run: () => T): Promise<T> {
    return this.db.commit(run);
  }
}

function toKey(row: KeyRow): ApiKey;
function toKey(row: KeyRow | undefined): ApiKey | undefined;
function toKey(row: KeyRow | undefined): ApiKey | undefined {
  if (row === undefined) return undefined;
  const { requests_per_minute: requestsPerMinute, requests_per_day: requestsPerDay } = row;
  const limits =
    requestsPerMinute === null || requestsPerDay === null ? undefined : { requestsPerMinute, requestsPerDay };
  return {
    id: row.id,
    name: row.name,
    quota: { id: row.quota_id, plan: row.plan, limits },
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    rotatedAt: row.rotated_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
