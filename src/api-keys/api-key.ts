import type { PlanLimits } from '../openapi/document.js';
import type { PlanName } from '../openapi/types.js';

/** An API key as it is stored: everything but its secret. Times are Unix milliseconds. */
export interface ApiKey {
  /** `key_…`: names the key in commands and logs. Not a secret. */
  readonly id: string;
  readonly name: string;
  /** What its requests are counted against. A key and its successors share one. */
  readonly quota: Quota;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** When a successor was issued; the key itself lives on until it expires. */
  readonly rotatedAt: number | undefined;
  /** Known to the minute. */
  readonly lastUsedAt: number | undefined;
}

export interface Quota {
  /** `quota_…` */
  readonly id: string;
  readonly plan: PlanName;
  /** The two numbers of a custom plan; `undefined` where the plan itself has them. */
  readonly limits: PlanLimits | undefined;
}

/** The plans of the contract; `custom` is one whose two numbers are given per budget. */
export type Plans = Readonly<Record<PlanName, PlanLimits | 'custom'>>;

/**
 * What a budget may use: the numbers of its plan, or its own where the plan is custom; `undefined` if those are
 * missing.
 */
export function limitsOf({ plan, limits }: Quota, plans: Plans): PlanLimits | undefined {
  const planned = plans[plan];
  return planned === 'custom' ? limits : planned;
}

/** The plan of a budget, and the two numbers of a custom one. */
export type Terms = Pick<Quota, 'plan' | 'limits'>;

/** `terms` belong to the budget, so they change for every key that shares it. */
export type KeyChanges = Partial<Pick<ApiKey, 'name' | 'expiresAt' | 'revokedAt'> & { readonly terms: Terms }>;

/** A key with the SHA-256 of its token, by which it is found. */
export interface StoredKey {
  readonly key: ApiKey;
  readonly tokenHash: Buffer;
}

/** The keys. Every method throws a `store_unavailable` ApiError when the storage behind it does not answer. */
export interface KeyStore {
  /** Adds a key, and its budget unless that exists. Resolves once both are on disk. */
  insert(key: ApiKey, tokenHash: Buffer): Promise<void>;

  findByHash(tokenHash: Buffer): Promise<ApiKey | undefined>;

  find(id: string): Promise<ApiKey | undefined>;

  /** In the order of their creation. */
  list(): Promise<readonly ApiKey[]>;

  update(id: string, changes: KeyChanges): Promise<void>;

  /**
   * Adds `successor` and lets the key `id` expire at `expiresAt`, both or neither. `false`, with nothing changed, if
   * that key has a successor already.
   */
  rotate(id: string, expiresAt: number, successor: ApiKey, tokenHash: Buffer): Promise<boolean>;

  /** Every key with its hash, in the order of their creation. */
  exportAll(): Promise<readonly StoredKey[]>;

  /** Adds keys in this order, and their budgets unless those exist, all or none. Resolves once they are on disk. */
  insertAll(keys: readonly StoredKey[]): Promise<void>;

  /** Notes when keys were last used: Unix milliseconds by key id. */
  markUsed(uses: ReadonlyMap<string, number>): Promise<void>;
}

export function isUsable(key: ApiKey, now: number): boolean {
  return key.revokedAt === undefined && (key.expiresAt === undefined || now < key.expiresAt);
}
