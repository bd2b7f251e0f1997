import { join, resolve } from 'node:path';
import type { KeyStore } from '../api-keys/api-key.js';
import { ApiKeyService } from '../api-keys/api-key-service.js';
import type { Config } from '../config.js';
import type { MigrationResult } from '../database/migrations.js';
import { type Backup, type BackupOptions, backUpDatabase } from '../database/sqlite/backup.js';
import type { Clock } from '../lib/clock.js';
import { BackupError, reasonOf, StartError, storeUnavailable } from '../lib/errors.js';
import { type BanRule, type ContractDocument, keyPrefixesOf } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { PetStore, PetTransfer } from '../pets/pet-store.js';
import { EmbeddedQuotaStore } from '../rate-limits/embedded-quota-store.js';
import type { QuotaStore, RunningQuotaStore } from '../rate-limits/quota-store.js';
import type { WindowTable } from '../rate-limits/window-table.js';
import { databaseFileName, openSqliteStores, type Role, type StoreOptions } from './open-sqlite-stores.js';

interface Quotas {
  /** Reads or resets quotas for an operator. @throws StartError if they are in the memory of a server. */
  readonly useQuotas: <T>(rule: BanRule, use: (quotas: OperatorQuotas) => Promise<T>) => Promise<T>;
  /** Starts to count requests. The caller closes the store before the others. */
  readonly startQuotas: (rule: BanRule) => Promise<RunningQuotaStore>;
}

type OperatorQuotas = Pick<QuotaStore, 'peek' | 'reset'>;

/** How long a command waits for a response of Redis, in milliseconds. */
const commandTimeoutMs = 2000;

export interface Stores extends Quotas {
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

/** Opens pets and keys in PostgreSQL or the data directory, and quotas in Redis or there. @throws StartError */
export async function openStores(config: Config, role: Role, options: StoreOptions): Promise<Stores> {
  const { databaseUrl, databaseConnectionsMax, dataDirectory } = config;
  if (databaseUrl === undefined) {
    const stores = await openSqliteStores(dataDirectory, role, options);
    return { ...stores, ...openQuotas(config, stores.windows, options) };
  }
  // Loaded only if it is configured, because loading it delays the start.
  const { openPostgresStores } = await import('./open-postgres-stores.js');
  const stores = await openPostgresStores(databaseUrl, databaseConnectionsMax, role, options);
  return { ...stores, ...openQuotas(config, undefined, options) };
}

/** The quotas in Redis, in the database of a single server, or in its memory. */
function openQuotas(
  { redis }: Config,
  windows: WindowTable | undefined,
  { clock, report }: Pick<StoreOptions, 'clock' | 'report'>,
): Quotas {
  if (redis !== undefined) {
    return {
      useQuotas: async (rule, use) => {
        const { RedisQuotaStore } = await import('../rate-limits/redis-quota-store.js');
        let store: QuotaStore | undefined;
        try {
          store = await RedisQuotaStore.open(redis, rule, commandTimeoutMs);
          return await use(store);
        } catch (error) {
          throw storeUnavailable(new Error(`Redis at ${redis.description}: ${reasonOf(error)}`));
        } finally {
          await store?.close();
        }
      },
      startQuotas: async (rule) => {
        const { FailoverQuotaStore } = await import('../rate-limits/failover-quota-store.js');
        return new FailoverQuotaStore(redis, rule, clock, report).start();
      },
    };
  }
  if (windows === undefined) {
    return {
      useQuotas: () =>
        Promise.reject(
          new StartError('Set REDIS_URL: with DATABASE_URL alone, quotas are in the memory of each node.'),
        ),
      startQuotas: (rule) => Promise.resolve(new EmbeddedQuotaStore(rule, clock)),
    };
  }
  return {
    useQuotas: async (rule, use) => use(await EmbeddedQuotaStore.open(rule, clock, windows)),
    startQuotas: (rule) => EmbeddedQuotaStore.open(rule, clock, windows),
  };
}

/** Copies the database of pets and keys, also while a server runs. @throws BackupError */
export async function backUp(config: Config, options: Omit<BackupOptions, 'source' | 'countedTable'>): Promise<Backup> {
  if (config.databaseUrl !== undefined) {
    throw new BackupError(
      'Pets and keys are in PostgreSQL. Back up the database with pg_dump; see docs/operations.md.',
    );
  }
  const source = join(resolve(config.dataDirectory), databaseFileName);
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
  const { document } = contract;
  return new ApiKeyService(keys, document['x-rate-limit-plans'], keyPrefixOf(config, document), clock);
}

/** The prefix of the API keys that are accepted. */
export function keyPrefixOf({ environment }: Config, document: ContractDocument): string {
  return keyPrefixesOf(document)[environment];
}
