import type { PostgresDatabase } from 'contract-server/postgres';
import type { SqliteDatabase, StoreDependencies } from 'contract-server/sqlite';
import type { PetStore, PetTransfer } from './pet-store.js';
import { SqlitePetStore } from './sqlite/pet-store.js';
import { SqlitePetTransfer } from './sqlite/pet-transfer.js';

/** The stores of the pet store, on one engine. */
export interface PetStores {
  readonly pets: PetStore;
  readonly transfer: PetTransfer;
  /** Resolves when pending writes have settled. */
  close(): Promise<void>;
}

export function createSqliteStores(db: SqliteDatabase, { metrics }: StoreDependencies): PetStores {
  const pets = new SqlitePetStore(db, metrics);
  return { pets, transfer: new SqlitePetTransfer(db), close: () => pets.close() };
}

/** Loads its modules on demand, because loading them delays the start. */
export async function createPostgresStores(db: PostgresDatabase, { metrics }: StoreDependencies): Promise<PetStores> {
  const { PostgresPetStore } = await import('./postgres/pet-store.js');
  const { PostgresPetTransfer } = await import('./postgres/pet-transfer.js');
  const pets = new PostgresPetStore(db, metrics);
  return { pets, transfer: new PostgresPetTransfer(db), close: () => pets.close() };
}
