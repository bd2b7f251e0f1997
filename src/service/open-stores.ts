import type { KeyStore } from '../api-keys/api-key.js';
import { ApiKeyService } from '../api-keys/api-key-service.js';
import type { Config } from '../config.js';
import { BatchWindow } from '../database/batch-window.js';
import type { GroupCommitOptions } from '../database/group-commit.js';
import type { MigrationResult } from '../database/migrations.js';
import { type Backup, type BackupOptions, backUpDatabase } from '../database/sqlite/backup.js';
import type { Clock } from '../lib/clock.js';
import { BackupError } from '../lib/errors.js';
import type { BanRules } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { PetArchive, PetStore } from '../pets/pet-store.js';
import { MemoryRateLimitStore } from '../rate-limits/memory/memory-store.js';
import type { RunningRateLimitStore, UsageAdministration } from '../rate-limits/rate-limit-store.js';
import { DataDirectory, type Role, type StoreOptions } from './data-directory.js';
import { openAll } from './resource-stack.js';

/** The stores of pets and API keys: SQLite in the data directory, or PostgreSQL. */
export interface PetAndKeyStores {
  readonly pets: PetStore;
  readonly archive: PetArchive;
  readonly keys: KeyStore;
  /** Where they are stored, without credentials. */
  readonly location: string;
  readonly migrations: readonly MigrationResult[];
  /** Checks the files or connections, and reports the end of outages. A server calls it every second. */
  check(): void;
  /** Resolves when pending writes have settled and everything is closed. */
  close(): Promise<void>;
}

interface RateLimits {
  readonly openUsageAdministration: () => Promise<UsageAdministration>;
  /** Starts to count requests. The caller closes the store before the others. */
  readonly startRateLimits: (rules: BanRules) => Promise<RunningRateLimitStore>;
}

export type Stores = PetAndKeyStores & RateLimits;

/** @throws StartError */
export function openStores(config: Config, role: Role, options: StoreOptions): Promise<Stores> {
  const batchWindow = new BatchWindow();
  const groupCommitOf = (store: 'pets' | 'limits') => ({ batchWindow, onBatch: options.batchSizeObserver?.(store) });
  return openAll(options.report, async (opened) => {
    const directory = opened.add(new DataDirectory(config.dataDirectory, role, options));
    const petAndKeyStores = opened.add(
      await openPetAndKeyStores(config, directory, role, options, groupCommitOf('pets')),
    );
    return {
      ...petAndKeyStores,
      ...(await openRateLimits(config, directory, options, groupCommitOf('limits'))),
      migrations: [...petAndKeyStores.migrations, ...directory.migrations],
      check: () => {
        directory.check();
        petAndKeyStores.check();
      },
      close: () => opened.close(),
    };
  });
}

/** Opens pets and keys in the data directory, which checks and closes them itself, or in PostgreSQL. */
async function openPetAndKeyStores(
  { databaseUrl: url, databaseConnectionsMax: connectionsMax }: Config,
  directory: DataDirectory,
  role: Role,
  { clock, report, onListed }: StoreOptions,
  groupCommit: GroupCommitOptions,
): Promise<PetAndKeyStores> {
  if (url === undefined) {
    const stores = await directory.openPetAndKeyStores(groupCommit);
    return {
      ...stores,
      location: directory.path,
      migrations: [],
      check: () => undefined,
      close: () => Promise.resolve(),
    };
  }
  // Loaded only if it is used, because loading it delays the start.
  const { openPostgresStores } = await import('./open-postgres-stores.js');
  return openPostgresStores({ url, connectionsMax, clock, report }, role, { ...groupCommit, onListed });
}

/** The counters of a single server in the data directory, or those of any number of servers in Redis. */
async function openRateLimits(
  { redis }: Config,
  directory: DataDirectory,
  { clock, report }: StoreOptions,
  groupCommit: GroupCommitOptions,
): Promise<RateLimits> {
  if (redis === undefined) {
    const journal = await directory.openRateLimitJournal();
    return {
      openUsageAdministration: () => Promise.resolve(journal),
      startRateLimits: (rules) => Promise.resolve(new MemoryRateLimitStore(rules, clock, report, journal, groupCommit)),
    };
  }
  return {
    openUsageAdministration: async () => {
      const { RedisUsageAdministration } = await import('../rate-limits/redis/usage-administration.js');
      return new RedisUsageAdministration(redis);
    },
    startRateLimits: async (rules) => {
      const { FailoverRateLimitStore } = await import('../rate-limits/redis/failover-store.js');
      const store = new FailoverRateLimitStore(redis, rules, clock, report);
      await store.start();
      return store;
    },
  };
}

/** Copies the database of pets and keys, also while a server runs. @throws BackupError */
export async function backUp(
  config: Config,
  options: Omit<BackupOptions, 'directory' | 'countedTable'>,
): Promise<Backup> {
  if (config.databaseUrl !== undefined) {
    throw new BackupError(
      'Pets and keys are in PostgreSQL. Back up the database with pg_dump; see docs/operations.md.',
    );
  }
  return backUpDatabase({ ...options, directory: config.dataDirectory, countedTable: 'pets' });
}

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
