import { type KeyCount, type StoredKey, toLimits } from './api-key.js';

/** The columns of `selectKeys`, in order. */
export type KeyRow = readonly [
  tokenHash: Buffer,
  id: string,
  name: string,
  createdAt: number,
  expiresAt: number | null,
  revokedAt: number | null,
  rotatedAt: number | null,
  lastUsedAt: number | null,
  quotaId: string,
  plan: string,
  requestsPerMinute: number | null,
  requestsPerDay: number | null,
];

/** The beginning of each query for keys, in SQLite and in PostgreSQL. */
export const selectKeys = `
  SELECT token_hash, api_keys.id, name, created_at, expires_at, revoked_at, rotated_at, last_used_at, quota_id, plan,
    requests_per_minute, requests_per_day
  FROM api_keys JOIN quotas ON quotas.id = quota_id`;

export function toStoredKey(row: KeyRow): StoredKey {
  const [tokenHash, id, name, createdAt, expiresAt, revokedAt, rotatedAt, lastUsedAt, quotaId, plan, ...limits] = row;
  const key = {
    id,
    name,
    quota: { id: quotaId, plan, limits: toLimits(...limits) },
    createdAt,
    expiresAt: expiresAt ?? undefined,
    revokedAt: revokedAt ?? undefined,
    rotatedAt: rotatedAt ?? undefined,
    lastUsedAt: lastUsedAt ?? undefined,
  };
  return { key, tokenHash };
}

/** Counts the usable keys on each plan. @param now a parameter of the statement */
export const countUsableKeys = (now: string) => `
  SELECT plan, requests_per_minute IS NOT NULL AND requests_per_day IS NOT NULL, count(*)
  FROM api_keys JOIN quotas ON quotas.id = quota_id
  WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
  GROUP BY 1, 2 ORDER BY 1, 2`;

/** SQLite has no booleans. */
export type KeyCountRow = readonly [plan: string, hasLimits: boolean | 0 | 1, keys: number];

export function toKeyCount([plan, hasLimits, keys]: KeyCountRow): KeyCount {
  return { plan, hasLimits: Boolean(hasLimits), keys };
}
