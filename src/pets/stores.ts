import type { PostgresDatabase } from 'contract-server/postgres';
import type { SqliteDatabase, StoreDependencies } from 'contract-server/sqlite';
import type { PetStore } from './pet-store.js';
import { SqlitePetStore } from './sqlite/pet-store.js';

/** The stores of the pet store, on one engine. */
export interface PetStores {
  readonly pets: PetStore;
  /** Resolves when pending writes have settled. */
  close(): Promise<void>;
}

export function createSqliteStores(db: SqliteDatabase, { metrics }: StoreDependencies): PetStores {
  const pets = new SqlitePetStore(db, metrics);
  return { pets, close: () => pets.close() };
}

/** Loads its module on demand, because loading it delays the start. */
export async function createPostgresStores(db: PostgresDatabase, { metrics }: StoreDependencies): Promise<PetStores> {
  const { PostgresPetStore } = await import('./postgres/pet-store.js');
  const pets = new PostgresPetStore(db, metrics);
  return { pets, close: () => pets.close() };
}
