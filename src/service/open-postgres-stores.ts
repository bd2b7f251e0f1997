import type { KeyStore } from '../api-keys/api-key.js';
import { PostgresKeyStore } from '../api-keys/postgres-key-store.js';
import { type MigrationOutcome, outcomesOf, readMigrations } from '../database/migrations.js';
import type { DatabaseOptions, Timeouts } from '../database/postgres/database.js';
import { openDatabase } from '../database/postgres/open-database.js';
import type { Role, StoreOptions } from '../database/store-options.js';
import type { PetArchive, PetStore } from '../pets/pet-store.js';
import { PostgresPetArchive } from '../pets/postgres/pet-archive.js';
import { PostgresPetStore } from '../pets/postgres/pet-store.js';

export interface PostgresStores {
  readonly pets: PetStore;
  readonly archive: PetArchive;
  readonly keys: KeyStore;
  readonly place: string;
  readonly migrations: readonly MigrationOutcome[];
  /** Notices that trouble is over. To be called every second by a server. */
  check(): void;
  close(): Promise<void>;
}

/**
 * A request that meets trouble is answered after 2.5 s, and after 5 s if it had to wait for a group of creations before
 * it.
 */
export const serverTimeouts: Timeouts = { connectMs: 800, lockMs: 0, statementMs: 1200, responseMs: 1500 };
const commandTimeouts: Timeouts = { connectMs: 5000, lockMs: 10_000, statementMs: 0, responseMs: 0 };

/** @throws StartError */
export async function openPostgresStores(
  options: Omit<DatabaseOptions, 'timeouts'>,
  role: Role,
  watch: StoreOptions,
): Promise<PostgresStores> {
  const migrations = await readMigrations('postgres', 'petstore');
  const { db, place, applied } = await openDatabase({
    ...options,
    timeouts: role === 'server' ? serverTimeouts : commandTimeouts,
    migrations,
    clock: watch.clock,
    report: watch.report,
  });
  const pets = new PostgresPetStore(db, watch.onGroup);
  const close = async () => {
    await pets.close();
    await db.close();
  };
  return {
    pets,
    archive: new PostgresPetArchive(db),
    keys: new PostgresKeyStore(db),
    place,
    migrations: outcomesOf('petstore', migrations, new Set(applied)),
    check: () => db.checkRecovery(),
    close,
  };
}
