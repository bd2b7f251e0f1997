import type { Int64, Json } from 'contract-server';
import type { OperationRequest, Schema } from '../contract.js';

export type Pet = Schema<'Pet'>;
export type Pets = Schema<'Pets'>;
export type PetStatus = Schema<'PetStatus'>;

/** The body of createPet after validation, with the defaults of the contract. */
export type NewPet = OperationRequest<'createPet'>['body'];

export interface PageRequest {
  /** Maximum number of pets in the page. */
  readonly limit: number;
  /** Filters by status. */
  readonly status: PetStatus | undefined;
  /** The page begins after this id; 0 for the first page. */
  readonly afterId: number;
}

export interface PetPage {
  readonly pets: Json<Pets>;
  /** The last id of the page, or `undefined` on the last page. */
  readonly lastId: number | undefined;
}

/** A request with an `Idempotency-Key`. All requests of a quota with the same key are the same request. */
export interface IdempotentRequest {
  readonly quotaId: string;
  readonly key: string;
  /** The SHA-256 of the body as it was sent. */
  readonly bodyDigest: Uint8Array;
  /** Unix milliseconds, as is `expiresAt`, until when the key is stored. */
  readonly receivedAt: number;
  readonly expiresAt: number;
}

/** A pet to create; with `request`, only once for its `Idempotency-Key`. */
export interface Creation {
  readonly pet: NewPet;
  readonly request?: IdempotentRequest;
}

export interface IdempotentResult {
  /** Whether this request created the pet, or an earlier one with the same or with another body. */
  readonly kind: 'created' | 'replayed' | 'other body';
  readonly id: number;
}

/** Maximum number of keys that `PetStore.deleteExpiredKeys` deletes, so that no creation waits long. */
export const expiredKeysMax = 200;

/** The pets. Every method throws an ApiError `store_unavailable` if the database is unavailable. */
export interface PetStore {
  /** Returns a page in ascending order of id. The cost depends only on the size of the page. */
  list(page: PageRequest): Promise<PetPage>;

  find(id: Int64): Promise<Json<Pet> | undefined>;

  /**
   * Creates a pet, and resolves with its id when it is on disk. Ids increase up to 2^53 − 1 and are never reused. Names
   * and category ids are stored exactly.
   */
  insert(pet: NewPet): Promise<number>;

  /**
   * Like `insert`, but exactly one of the requests of a quota with the same key creates a pet, also if they reach
   * different processes at the same time. The key is stored in the same transaction as the pet.
   */
  insertOnce(pet: NewPet, request: IdempotentRequest): Promise<IdempotentResult>;

  /** Returns the result of an earlier request, if there is one. Only reads, so it works on a full disk. */
  findReplay(request: IdempotentRequest): Promise<IdempotentResult | undefined>;

  /**
   * Deletes up to `expiredKeysMax` keys that have expired at a time in Unix milliseconds, in one transaction, and
   * resolves with their number. `insertOnce` and `findReplay` ignore expired keys anyway.
   */
  deleteExpiredKeys(now: number): Promise<number>;
}
