import { type ApiKey, type KeyCount, toLimits } from './api-key.js';

/** A row of `selectKeys`. */
export interface KeyRow {
  readonly tokenHash: Buffer;
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly rotatedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly quotaId: string;
  readonly plan: string;
  readonly requestsPerMinute: number | null;
  readonly requestsPerDay: number | null;
}

/** The beginning of each query for keys, in SQLite and in PostgreSQL. */
export const selectKeys = `
  SELECT token_hash AS "tokenHash", api_keys.id, name, created_at AS "createdAt", expires_at AS "expiresAt",
    revoked_at AS "revokedAt", rotated_at AS "rotatedAt", last_used_at AS "lastUsedAt", quota_id AS "quotaId", plan,
    requests_per_minute AS "requestsPerMinute", requests_per_day AS "requestsPerDay"
  FROM api_keys JOIN quotas ON quotas.id = quota_id`;

export function toKey(row: KeyRow): ApiKey {
  const { id, name, createdAt, quotaId, plan, requestsPerMinute, requestsPerDay } = row;
  return {
    id,
    name,
    quota: { id: quotaId, plan, limits: toLimits(requestsPerMinute, requestsPerDay) },
    createdAt,
    expiresAt: row.expiresAt ?? undefined,
    revokedAt: row.revokedAt ?? undefined,
    rotatedAt: row.rotatedAt ?? undefined,
    lastUsedAt: row.lastUsedAt ?? undefined,
  };
}

/** Counts the usable keys on each plan. @param now a parameter of the statement */
export const countUsableKeys = (now: string) => `
  SELECT plan, requests_per_minute IS NOT NULL AND requests_per_day IS NOT NULL AS "hasLimits", count(*) AS keys
  FROM api_keys JOIN quotas ON quotas.id = quota_id
  WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
  GROUP BY 1, 2 ORDER BY 1, 2`;

/** SQLite has no booleans. */
export interface KeyCountRow {
  readonly plan: string;
  readonly hasLimits: boolean | 0 | 1;
  readonly keys: number;
}

export function toKeyCount({ plan, hasLimits, keys }: KeyCountRow): KeyCount {
  return { plan, hasLimits: Boolean(hasLimits), keys };
}
