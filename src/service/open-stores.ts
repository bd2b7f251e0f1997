import { join, resolve } from 'node:path';
import type { KeyStore } from '../api-keys/api-key.js';
import { ApiKeyService } from '../api-keys/api-key-service.js';
import type { Config } from '../config.js';
import { fileNames } from '../database/data-files.js';
import type { MigrationResult } from '../database/migrations.js';
import { type Backup, type BackupOptions, backUpDatabase } from '../database/sqlite/backup.js';
import type { Clock } from '../lib/clock.js';
import { BackupError } from '../lib/errors.js';
import type { BanRules } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { PetStore, PetTransfer } from '../pets/pet-store.js';
import { FileUsageAdministration } from '../rate-limits/file/usage-administration.js';
import { MemoryRateLimitStore } from '../rate-limits/memory/memory-store.js';
import type { RunningQuotaStore, UsageAdministration } from '../rate-limits/quota-store.js';
import { DataDirectory, type Role, type StoreOptions } from './data-directory.js';
import { openAll } from './resource-stack.js';

interface RateLimits {
  readonly openUsageAdministration: () => Promise<UsageAdministration>;
  /** Starts to count requests. The caller closes the store before the others. */
  readonly startRateLimits: (rules: BanRules) => RunningQuotaStore | Promise<RunningQuotaStore>;
}

export interface Stores extends RateLimits {
  readonly pets: PetStore;
  readonly transfer: PetTransfer;
  readonly keys: KeyStore;
  /** Where pets and keys are stored, without credentials. */
  readonly location: string;
  readonly migrations: readonly MigrationResult[];
  /** Checks the files or connections, and reports the end of outages. A server calls it every second. */
  check(): void;
  /** Resolves when pending writes have settled and everything is closed. */
  close(): Promise<void>;
}

/** Opens pets and keys in PostgreSQL or the data directory, and counters in Redis or there. @throws StartError */
export function openStores(config: Config, role: Role, options: StoreOptions): Promise<Stores> {
  return openAll(options.report, async (opened) => {
    const directory = opened.add(new DataDirectory(config.dataDirectory, role, options));
    const postgres = await openPostgres(config, role, options);
    if (postgres !== undefined) opened.add(postgres);
    const databases = postgres === undefined ? [directory] : [postgres, directory];
    const { pets, transfer, keys } = postgres ?? (await directory.openPetAndKeyStores());
    return {
      pets,
      transfer,
      keys,
      ...openRateLimits(config, directory, options),
      location: (postgres ?? directory).location,
      migrations: (postgres ?? directory).migrations,
      check: () => {
        for (const database of databases) database.check();
      },
      close: () => opened.close(),
    };
  });
}

/** Opens PostgreSQL if it is configured. It is loaded only then, because loading it delays the start. */
async function openPostgres(
  { databaseUrl: url, databaseConnectionsMax: connectionsMax }: Config,
  role: Role,
  options: StoreOptions,
) {
  if (url === undefined) return undefined;
  const { openPostgresStores } = await import('./open-postgres-stores.js');
  return openPostgresStores(url, connectionsMax, role, options);
}

/** The counters of a single server in the data directory, or those of any number of servers in Redis. */
function openRateLimits({ redis }: Config, directory: DataDirectory, { clock, report }: StoreOptions): RateLimits {
  if (redis === undefined) {
    return {
      openUsageAdministration: () => Promise.resolve(new FileUsageAdministration(directory.location)),
      startRateLimits: (rules) => new MemoryRateLimitStore(rules, clock, report, directory.openCounterFile()),
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
export async function backUp(config: Config, options: Omit<BackupOptions, 'source' | 'countedTable'>): Promise<Backup> {
  if (config.databaseUrl !== undefined) {
    throw new BackupError(
      'Pets and keys are in PostgreSQL. Back up the database with pg_dump; see docs/operations.md.',
    );
  }
  const source = join(resolve(config.dataDirectory), fileNames.petstore);
  return backUpDatabase({ ...options, source, countedTable: 'pets' });
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
