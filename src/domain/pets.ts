import type { Int64 } from '../contract/int64.js';
import type { Json, NewPet, Pet, PetStatus, Pets } from '../contract/types.js';

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

/** The catalogue. Every method throws a `store_unavailable` Refusal when the storage behind it does not answer. */
export interface PetStore {
  /** A page in ascending order of id. Its cost depends on its size alone, not on the catalogue's or on where the page lies. */
  list(page: PageRequest): Promise<PetPage>;

  find(id: Int64): Promise<Json<Pet> | undefined>;

  /**
   * Assigns the id and resolves once the animal is on disk. Ids grow, are at most 2^53 − 1 and are never handed out twice.
   * What is stored comes back exactly: the name byte for byte, the category digit for digit.
   */
  insert(pet: NewPet): Promise<number>;
}

/** Moving a whole catalogue in and out. */
export interface PetArchive {
  /** Every animal in ascending order of id, as JSON text, read in pages that hold nobody up. */
  exportAll(): AsyncIterable<Json<Pet>>;

  /** A place beside the catalogue that collects animals until all of them are known to be good. */
  stage(): PetStaging;
}

export interface PetStaging {
  add(pets: readonly NewPet[]): Promise<void>;

  /** Moves what was added into the catalogue, all or nothing, and resolves with their number once they are on disk. */
  commit(): Promise<number>;
}
