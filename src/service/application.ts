import type { WriteMetrics } from '../database/group-commit.js';
import type { PostgresDatabase } from '../database/postgres/database.js';
import type { SqliteDatabase } from '../database/sqlite/database.js';
import type { Clock } from '../lib/clock.js';
import type { MeasureStore } from '../observability/metrics.js';
import { type ContractDocument, idempotencyRetentionSecondsOf } from '../openapi/document.js';
import type { Links } from '../openapi/links.js';
import type { Handlers } from '../openapi/types.js';
import { createHandlers } from '../pets/handlers/index.js';
import { deleteExpiredKeys, IdempotentCreation } from '../pets/idempotent-creation.js';
import type { PetStore, PetTransfer } from '../pets/pet-store.js';
import { resetTransactions } from '../pets/postgres/listing-delay.js';
import { SqlitePetStore } from '../pets/sqlite/pet-store.js';
import { SqlitePetTransfer } from '../pets/sqlite/pet-transfer.js';

/** The stores of the application, which the command line uses too. */
export interface ApplicationStores {
  readonly pets: PetStore;
  readonly transfer: PetTransfer;
  /** Resolves when pending writes have settled. */
  close(): Promise<void>;
}

export function createSqliteStores(db: SqliteDatabase, metrics?: WriteMetrics): ApplicationStores {
  const pets = new SqlitePetStore(db, metrics);
  return { pets, transfer: new SqlitePetTransfer(db), close: () => pets.close() };
}

/** Loads its modules on demand, because loading them delays the start. */
export async function createPostgresStores(db: PostgresDatabase, metrics?: WriteMetrics): Promise<ApplicationStores> {
  const { PostgresPetStore } = await import('../pets/postgres/pet-store.js');
  const { PostgresPetTransfer } = await import('../pets/postgres/pet-transfer.js');
  const pets = new PostgresPetStore(db, metrics);
  return { pets, transfer: new PostgresPetTransfer(db), close: () => pets.close() };
}

/** Runs at every start with PostgreSQL, after the migrations. */
export const postgresStartSql = resetTransactions;

/** What the service uses of its application, the pets: handlers, a check of their store, and maintenance. */
export function createApplication(
  { pets }: ApplicationStores,
  measureStore: MeasureStore,
  document: ContractDocument,
  clock: Clock,
) {
  const operations = ['list', 'find', 'insert', 'insertOnce', 'findReplay', 'deleteExpiredKeys'] as const;
  const measured = measureStore('pets', pets, operations);
  const creations = new IdempotentCreation(measured, idempotencyRetentionSecondsOf(document) * 1000, clock);
  return {
    createHandlers: (links: Links): Handlers => createHandlers(measured, creations, links),
    /** Reads one page, to find out whether the store responds. */
    check: (): Promise<unknown> => pets.list({ limit: 1, status: undefined, afterId: 0 }),
    /** Runs every second. */
    maintain: () => deleteExpiredKeys(pets, clock()),
  };
}
