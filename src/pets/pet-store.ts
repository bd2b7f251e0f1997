import type { Json } from '../json/exact-json.js';
import type { Int64 } from '../json/int64.js';
import type { NewPet, Pet, PetStatus, Pets } from './pet.js';

export interface PageRequest {
  /** The greatest number of animals in the page. */
  readonly limit: number;
  /** Only animals in this state. */
  readonly status: PetStatus | undefined;
  /** Only animals with a greater id; 0 for the first page. */
  readonly afterId: number;
}

export interface PetPage {
  readonly pets: Json<Pets>;
  /** The id of the last animal of the page if others follow it, else `undefined`. */
  readonly lastId: number | undefined;
}

/**
 * A request to add an animal that its client may send again: all requests of a budget under one key are the same
 * request.
 */
export interface IdempotentRequest {
  readonly quotaId: string;
  readonly key: string;
  /** The SHA-256 of the body as it was sent: whether the request really is the same. */
  readonly bodyDigest: Uint8Array;
  /** When it was sent, and until when it is remembered, in Unix milliseconds. */
  readonly sentAt: number;
  readonly expiresAt: number;
}

/** What became of a keyed request. */
export interface IdempotentResult {
  /**
   * `created`: by this request. `replayed`: by an earlier one. `other body`: by an earlier one, whose body was another.
   */
  readonly kind: 'created' | 'replayed' | 'other body';
  /** The id of the animal that the key stands for. */
  readonly id: number;
}

/** The catalogue. Every method throws a `store_unavailable` ApiError when the storage behind it does not answer. */
export interface PetStore {
  /**
   * A page in ascending order of id. Its cost depends on its size alone, not on the catalogue's or on where the page
   * lies.
   */
  list(page: PageRequest): Promise<PetPage>;

  find(id: Int64): Promise<Json<Pet> | undefined>;

  /**
   * Assigns the id and resolves once the animal is on disk. Ids grow, are at most 2^53 − 1 and are never handed out
   * twice. What is stored comes back exactly: the name byte for byte, the category digit for digit.
   */
  insert(pet: NewPet): Promise<number>;

  /**
   * Like `insert`, but of all the requests of a budget under one key exactly one creates an animal, whichever process
   * they reach and however they meet: the database decides. With the animal, in one transaction, it is remembered until
   * it expires, and the others are told; one that meets it in another process waits for it. A request whose animal
   * cannot be stored leaves nothing behind.
   */
  insertOnce(pet: NewPet, request: IdempotentRequest): Promise<IdempotentResult>;

  /**
   * What `insertOnce` would tell of an earlier request, or `undefined` if it would create the animal. Reads only: it
   * also answers while nothing can be written.
   */
  findReplay(request: IdempotentRequest): Promise<IdempotentResult | undefined>;

  /**
   * Forgets requests that have expired at this instant, for good: to `insertOnce` and `findReplay` they are gone anyway.
   * Does so little by little, so that creations get between, and resolves with how many it has forgotten; there may be
   * more.
   */
  deleteExpiredKeys(now: number): Promise<number>;
}

/** An animal that is brought in. With an id it keeps that; either all of a staging have one, or none. */
export type ImportedPet = NewPet & { readonly id?: number };

/** Moving a whole catalogue in and out. */
export interface PetArchive {
  /** Every animal in ascending order of id, as JSON text, read in pages that hold nobody up. */
  exportAll(): AsyncIterable<Json<Pet>>;

  /** A place beside the catalogue that collects animals until all of them are known to be good. */
  stage(): PetStaging;
}

export interface PetStaging {
  add(pets: readonly ImportedPet[]): Promise<void>;

  /**
   * Moves what was added into the catalogue, all or nothing, and resolves with their number once they are on disk.
   * Those without an id get one as `insert` assigns it; after those with one, greater ids than theirs are assigned.
   *
   * @throws DuplicateIdsError if ids are taken, or were given twice.
   */
  commit(): Promise<number>;
}

/** At most this many ids are named. */
const namedMax = 10;

/** Animals cannot keep their ids, because others have them, or because they were given twice. Nothing was changed. */
export class DuplicateIdsError extends Error {
  override readonly name = 'DuplicateIdsError';

  /** @param ids in ascending order. */
  constructor(
    readonly ids: readonly number[],
    cause: unknown,
  ) {
    const named = ids.slice(0, namedMax).join(', ');
    const more = ids.length > namedMax ? ` and ${String(ids.length - namedMax)} more` : '';
    super(`These ids are taken, or were given twice: ${named}${more}. Nothing was imported.`, { cause });
  }
}
