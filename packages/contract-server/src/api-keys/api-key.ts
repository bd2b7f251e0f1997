import type { PlanLimits, Plans } from '@contract-server/core/contract/document.js';

/** The pattern of a key's name: 1 to 100 characters, which are not all white space. */
export const keyNamePattern = String.raw`^(?!\s*$)[^\0]{1,100}$`;

/** An API key without its secret. Times are in Unix milliseconds. */
export interface ApiKey {
  /** `key_…`, for commands and logs. Not secret. */
  readonly id: string;
  readonly name: string;
  /** A key and its successors share one. */
  readonly quota: StoredQuota;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** When a successor was issued. The key stays valid until it expires. */
  readonly rotatedAt: number | undefined;
  /** Accurate to a minute. */
  readonly lastUsedAt: number | undefined;
}

/** A key that has not been used, rotated or revoked. */
export function createKey(
  key: Pick<ApiKey, 'id' | 'name' | 'quota' | 'createdAt'> & Partial<Pick<ApiKey, 'expiresAt'>>,
): ApiKey {
  return { expiresAt: undefined, revokedAt: undefined, rotatedAt: undefined, lastUsedAt: undefined, ...key };
}

/** A quota as it is stored. The limits of a plan are in the contract. */
export interface StoredQuota {
  /** `quota_…` */
  readonly id: string;
  readonly plan: string;
  /** The limits of a custom plan; `undefined` for other plans. */
  readonly limits: PlanLimits | undefined;
}

/** The limits of a quota: those of its plan, or its own if the plan is custom; `undefined` if these are missing. */
export function findLimits({ plan, limits }: StoredQuota, plans: Plans): PlanLimits | undefined {
  const rule = plans[plan];
  if (rule === 'unlimited') return undefined;
  return rule === 'custom' ? limits : rule;
}

/** The limits of a custom plan; `undefined` unless both are given. */
export function toLimits(requestsPerMinute?: number | null, requestsPerDay?: number | null): PlanLimits | undefined {
  return requestsPerMinute && requestsPerDay ? { requestsPerMinute, requestsPerDay } : undefined;
}

/** The plan of a quota, with the limits of a custom one. */
export type PlanChange = Pick<StoredQuota, 'plan' | 'limits'>;

/** The `plan` changes for every key that shares the quota. */
export type KeyChanges = Partial<Pick<ApiKey, 'name' | 'expiresAt' | 'revokedAt'> & { readonly plan: PlanChange }>;

/** A key with the SHA-256 of its token. */
export interface StoredKey {
  readonly key: ApiKey;
  readonly tokenHash: Buffer;
}

/** The number of keys on a plan. */
export interface KeyCount {
  /** Possibly one that the contract does not have. */
  readonly plan: string;
  /** Whether the quotas of these keys have limits of their own. */
  readonly hasLimits: boolean;
  readonly keys: number;
}

/** The API keys. Every method throws an ApiError `store_unavailable` if the database is unavailable. */
export interface KeyStore {
  /** Inserts a key and its quota in one transaction. Resolves when they are on disk. */
  insert(stored: StoredKey): Promise<void>;

  findByHash(tokenHash: Buffer): Promise<ApiKey | undefined>;

  find(id: string): Promise<ApiKey | undefined>;

  update(id: string, changes: KeyChanges): Promise<void>;

  /**
   * Inserts `successor`, which shares the quota of the key `id`, and sets the expiry of that key, in one transaction.
   * Returns `false` and changes nothing if it already has a successor.
   */
  rotate(id: string, expiresAt: number, successor: ApiKey, tokenHash: Buffer): Promise<boolean>;

  /** Every key, in order of creation. */
  list(): Promise<readonly ApiKey[]>;

  isEmpty(): Promise<boolean>;

  /** The number of usable keys on each plan, in the order of its name. */
  countUsable(now: number): Promise<readonly KeyCount[]>;

  /** Records when keys were last used: Unix milliseconds by key id. */
  markUsed(uses: ReadonlyMap<string, number>): Promise<void>;
}

export function isUsable(key: ApiKey, now: number): boolean {
  return key.revokedAt === undefined && (key.expiresAt === undefined || now < key.expiresAt);
}
