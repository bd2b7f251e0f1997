import { PostgresKeyStore } from '../api-keys/postgres-key-store.js';
import { migrationResultsOf, readMigrations } from '../database/migrations.js';
import type { Timeouts } from '../database/postgres/database.js';
import { openPostgresDatabase, type PostgresOptions } from '../database/postgres/open-database.js';
import { resetTransactions } from '../pets/postgres/listing-delay.js';
import { PostgresPetArchive } from '../pets/postgres/pet-archive.js';
import { type PetStoreOptions, PostgresPetStore } from '../pets/postgres/pet-store.js';
import type { Role } from './data-directory.js';
import { ResourceStack } from './resource-stack.js';

/** During an outage, responses take up to 2.5 s, or 5 s for a creation that waited for the group before it. */
export const serverTimeouts: Timeouts = { connectMs: 800, responseMs: 1500 };
export const commandTimeouts: Timeouts = {
  connectMs: 5000,
  responseMs: 0,
  ofTransaction: { lockMs: 10_000, statementMs: 0 },
};

/** @throws StartError */
export async function openPostgresStores(
  options: Omit<PostgresOptions, 'timeouts' | 'migrations' | 'repairs'>,
  role: Role,
  petStoreOptions: PetStoreOptions,
) {
  const migrations = await readMigrations('postgres');
  const timeouts = role === 'server' ? serverTimeouts : commandTimeouts;
  const { db, location, applied } = await openPostgresDatabase({
    ...options,
    timeouts,
    migrations,
    repairs: [resetTransactions],
  });
  const opened = new ResourceStack();
  opened.add(db);
  return {
    pets: opened.add(new PostgresPetStore(db, petStoreOptions)),
    archive: new PostgresPetArchive(db),
    keys: new PostgresKeyStore(db),
    location,
    migrations: migrationResultsOf(migrations, new Set(applied)),
    check: () => db.checkRecovery(),
    close: () => opened.close(),
  };
}
