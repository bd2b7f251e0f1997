import type { PlanLimits } from '../contract/document.js';
import type { PlanName } from '../contract/types.js';

/** An API key as it is stored: everything but its secret. Times are Unix milliseconds. */
export interface ApiKey {
  /** `key_…`: names the key in commands and logs. Not a secret. */
  readonly id: string;
  readonly name: string;
  /** What its requests are counted against. A key and its successors share one. */
  readonly budget: Budget;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** Known to the minute. */
  readonly lastUsedAt: number | undefined;
}

export interface Budget {
  /** `budget_…` */
  readonly id: string;
  readonly plan: PlanName;
  /** The two numbers of a custom plan; `undefined` where the plan itself has them. */
  readonly limits: PlanLimits | undefined;
}

export type KeyChanges = Partial<Pick<ApiKey, 'name' | 'expiresAt' | 'revokedAt'> & Pick<Budget, 'plan' | 'limits'>>;

/** The keys. Every method throws a `store_unavailable` Refusal when the storage behind it does not answer. */
export interface KeyStore {
  /** Adds a key, and its budget unless that exists. Resolves once both are on disk. */
  insert(key: ApiKey, tokenHash: Buffer): Promise<void>;

  findByHash(tokenHash: Buffer): Promise<ApiKey | undefined>;

  find(id: string): Promise<ApiKey | undefined>;

  /** In the order of their creation. */
  list(): Promise<readonly ApiKey[]>;

  /** Changes a key. A plan and its limits belong to the budget, so they change for every key that shares it. */
  update(id: string, changes: KeyChanges): Promise<void>;

  /** Adds `successor` and lets the key `id` expire at `expiresAt`, both or neither. */
  rotate(id: string, expiresAt: number, successor: ApiKey, tokenHash: Buffer): Promise<void>;

  /** Notes when keys were last used: Unix milliseconds by key id. */
  markUsed(uses: ReadonlyMap<string, number>): Promise<void>;
}

export function isUsable(key: ApiKey, now: number): boolean {
  return key.revokedAt === undefined && (key.expiresAt === undefined || now < key.expiresAt);
}
