import type { KeyStore } from '../api-keys/api-key.js';
import { ApiKeyService } from '../api-keys/api-key-service.js';
import type { Config } from '../config.js';
import type { MigrationOutcome } from '../database/migrations.js';
import { type Backup, type BackupOptions, backUpDatabase } from '../database/sqlite/backup.js';
import type { Role, StoreOptions } from '../database/store-options.js';
import type { Clock } from '../lib/clock.js';
import { BackupError } from '../lib/errors.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { PetArchive, PetStore } from '../pets/pet-store.js';
import { type Counters, embeddedCounters, sharedCounters } from './open-rate-limits.js';
import { DataDirectory } from './open-sqlite-stores.js';
import { ResourceStack } from './resource-stack.js';

export interface Stores {
  readonly pets: PetStore;
  readonly archive: PetArchive;
  readonly keys: KeyStore;
  readonly counters: Counters;
  /** Checks the files or the connections behind the stores. To be called every second by a server. */
  check(): void;
  /** Where animals and keys are, for people. */
  readonly place: string;
  /** What the schemas consist of, and what of it was applied to open them. */
  readonly migrations: readonly MigrationOutcome[];
  /** Lets what is being written settle, then closes. */
  close(): Promise<void>;
}

/** @param role a `server` is the only one on its data directory; a `command` may work beside it. @throws StartError */
export async function openStores(config: Config, role: Role, watch: StoreOptions = unwatched): Promise<Stores> {
  const opened = new ResourceStack();
  try {
    const directory = opened.add(new DataDirectory(config.dataDirectory, role, watch));
    const catalogue = await openCatalogue(config, directory, role, watch);
    opened.add(catalogue);
    const counters =
      config.redis === undefined ? embeddedCounters(await directory.openLimits()) : sharedCounters(config.redis);
    opened.add(counters);
    const tend = () => {
      directory.check();
      catalogue.check();
    };
    const migrations = [...catalogue.migrations, ...directory.migrations];
    return { ...catalogue, counters, migrations, check: tend, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

type Catalogue = Omit<Stores, 'counters'>;

/** Animals and keys: in the data directory, which checks and closes them itself, or in PostgreSQL. */
async function openCatalogue(
  config: Config,
  directory: DataDirectory,
  role: Role,
  watch: StoreOptions,
): Promise<Catalogue> {
  const { databaseUrl: url, databaseConnectionsMax: connectionsMax } = config;
  if (url === undefined) {
    const stores = await directory.openCatalogue();
    return { ...stores, place: directory.path, migrations: [], check: () => undefined, close: () => Promise.resolve() };
  }
  // Loaded only where it is used, for the sake of quick starts.
  const { openPostgresStores } = await import('./open-postgres-stores.js');
  return openPostgresStores({ url, connectionsMax }, role, watch);
}

/** Copies the database of animals and keys, also while a server runs. @throws BackupError */
export async function backUp(config: Config, options: Omit<BackupOptions, 'directory'>): Promise<Backup> {
  if (config.databaseUrl !== undefined) {
    throw new BackupError('Animals and keys are in PostgreSQL. Back that up with pg_dump; see docs/operations.md.');
  }
  return backUpDatabase({ ...options, directory: config.dataDirectory });
}

/** A command says itself what it could not do. */
const unwatched: StoreOptions = { clock: Date.now, report: () => undefined };

interface KeyDependencies {
  readonly contract: ContractSource;
  readonly clock: Clock;
}

export function createApiKeyService(
  config: Config,
  { keys }: Stores,
  { contract, clock }: KeyDependencies,
): ApiKeyService {
  return new ApiKeyService(keys, contract.document['x-rate-limit-plans'], config.keyPrefix, clock);
}
