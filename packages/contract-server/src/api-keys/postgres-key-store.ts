import { createBatchLoader } from '../database/batch-loader.js';
import type { PostgresDatabase } from '../database/postgres/database.js';
import type { Statement } from '../database/postgres/statement.js';
import { type ApiKey, type KeyChanges, type KeyCount, type KeyStore, type StoredKey } from './api-key.js';
import { countUsableKeys, type KeyCountRow, type KeyRow, selectKeys, toKey, toKeyCount } from './key-row.js';

const findByHashes: Statement = {
  name: 'find_keys_by_hash',
  text: `${selectKeys} WHERE token_hash = ANY ($1::bytea[])`,
};
const findById: Statement = { name: 'find_key', text: `${selectKeys} WHERE api_keys.id = $1` };
const listKeys: Statement = { name: 'list_keys', text: `${selectKeys} ORDER BY created_at, number` };
const findAnyKey: Statement = { name: 'find_any_key', text: 'SELECT FROM api_keys LIMIT 1' };
const countUsable: Statement = { name: 'count_usable_keys', text: countUsableKeys('$1') };

const keyColumns = 'id, token_hash, name, created_at, expires_at, revoked_at, rotated_at, last_used_at, quota_id';
const keyParameters = '$1, $2, $3, $4, $5, $6, $7, $8, $9';
const insertKey: Statement = {
  name: 'insert_key',
  text: `
  WITH quota AS (
    INSERT INTO quotas (id, plan, requests_per_minute, requests_per_day) VALUES ($9, $10, $11, $12)
  )
  INSERT INTO api_keys (${keyColumns}) VALUES (${keyParameters})`,
};
const rotateKey: Statement = {
  name: 'rotate_key',
  text: `
  WITH marked AS (
    UPDATE api_keys SET rotated_at = $10, expires_at = $11 WHERE id = $12 AND rotated_at IS NULL RETURNING number
  )
  INSERT INTO api_keys (${keyColumns}) SELECT ${keyParameters} FROM marked`,
};
const updateKey: Statement = {
  name: 'update_key',
  text: `
  WITH changed AS (
    UPDATE api_keys SET
      name = CASE WHEN $2 THEN $3 ELSE name END,
      expires_at = CASE WHEN $4 THEN $5 ELSE expires_at END,
      revoked_at = CASE WHEN $6 THEN $7 ELSE revoked_at END
    WHERE id = $1 RETURNING quota_id
  )
  UPDATE quotas SET plan = $9, requests_per_minute = $10, requests_per_day = $11
    FROM changed WHERE $8 AND id = changed.quota_id`,
};
const markKeysUsed: Statement = {
  name: 'mark_keys_used',
  text: `
  UPDATE api_keys SET last_used_at = used.at FROM unnest($1::text[], $2::bigint[]) AS used (id, at)
  WHERE api_keys.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`,
};

export class PostgresKeyStore implements KeyStore {
  /** Looks up the keys of all requests of an event-loop tick with one query. */
  readonly findByHash = createBatchLoader((hashes: readonly Buffer[]) => this.findAll(hashes));

  constructor(private readonly db: PostgresDatabase) {}

  async insert(stored: StoredKey): Promise<void> {
    const { plan, limits } = stored.key.quota;
    const quota = [plan, limits?.requestsPerMinute, limits?.requestsPerDay];
    await this.db.execute(insertKey, [...keyValues(stored), ...quota]);
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const [row] = await this.db.query<KeyRow>(findById, [id]);
    return row && toKey(row);
  }

  async update(id: string, changes: KeyChanges): Promise<void> {
    const { plan } = changes;
    const fields = (['name', 'expiresAt', 'revokedAt'] as const).flatMap((field) => [field in changes, changes[field]]);
    const { requestsPerMinute, requestsPerDay } = plan?.limits ?? {};
    const quota = [plan !== undefined, plan?.plan, requestsPerMinute, requestsPerDay];
    await this.db.execute(updateKey, [id, ...fields, ...quota]);
  }

  async rotate(id: string, expiresAt: number, successor: ApiKey, tokenHash: Buffer): Promise<boolean> {
    const values = [...keyValues({ key: successor, tokenHash }), successor.createdAt, expiresAt, id];
    return (await this.db.execute(rotateKey, values)) > 0;
  }

  async list(): Promise<readonly ApiKey[]> {
    return (await this.db.query<KeyRow>(listKeys)).map(toKey);
  }

  async isEmpty(): Promise<boolean> {
    return (await this.db.query(findAnyKey)).length === 0;
  }

  async countUsable(now: number): Promise<readonly KeyCount[]> {
    return (await this.db.query<KeyCountRow>(countUsable, [now])).map(toKeyCount);
  }

  async markUsed(uses: ReadonlyMap<string, number>): Promise<void> {
    // Nodes lock rows in the same order, so that they do not deadlock.
    const ids = [...uses.keys()].sort();
    await this.db.execute(markKeysUsed, [ids, ids.map((id) => uses.get(id))]);
  }

  private async findAll(hashes: readonly Buffer[]): Promise<(ApiKey | undefined)[]> {
    const rows = await this.db.query<KeyRow>(findByHashes, [hashes]);
    const keys = new Map(rows.map((row) => [row.tokenHash.toString('base64'), toKey(row)]));
    return hashes.map((hash) => keys.get(hash.toString('base64')));
  }
}

/** The values of the columns of a key. */
function keyValues({ key, tokenHash }: StoredKey): unknown[] {
  const { id, name, createdAt, expiresAt, revokedAt, rotatedAt, lastUsedAt, quota } = key;
  return [id, tokenHash, name, createdAt, expiresAt, revokedAt, rotatedAt, lastUsedAt, quota.id];
}
