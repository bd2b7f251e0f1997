import type { KeyStore } from '../api-keys/api-key.js';
import { ApiKeyService } from '../api-keys/api-key-service.js';
import type { Config } from '../config.js';
import type { PostgresDatabase, Timeouts } from '../database/postgres/database.js';
import type { Clock } from '../lib/clock.js';
import { reasonOf, StartError, storeUnavailable } from '../lib/errors.js';
import { productName } from '../lib/product.js';
import { keyPrefixesOf } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { CreationObserver } from '../pets/pet-store.js';
import { EmbeddedQuotaStore } from '../rate-limits/embedded-quota-store.js';
import type { QuotaStore, RunningQuotaStore } from '../rate-limits/quota-store.js';
import type { QuotaTable } from '../rate-limits/quota-table.js';
import type { ApplicationStores } from './application.js';
import { openSqliteStores } from './open-sqlite-stores.js';

/**
 * The kind of process that opens the stores. A `server` never waits for locks on its event loop, and is the only one on
 * its data directory; a `command` may wait, also while a server runs.
 */
type Role = 'server' | 'command';

/** How long a command waits for a lock of the server, or for a response of Redis, in milliseconds. */
const commandLockTimeoutMs = 10_000;
const commandResponseTimeoutMs = 2000;

/** During an outage, responses take up to 2.5 s, or 5 s for a creation that waited for the group before it. */
export const postgresTimeouts: Readonly<Record<Role, Timeouts>> = {
  server: { connectMs: 800, lockMs: 0, statementMs: 1200, responseMs: 1500 },
  command: { connectMs: 5000, lockMs: commandLockTimeoutMs, statementMs: 0, responseMs: 0 },
};

export const databaseFileName = `${productName}.db`;

export interface StoreOptions {
  readonly contract: ContractSource;
  readonly clock: Clock;
  /** Receives outages and internal errors. */
  readonly report: (event: unknown) => void;
  readonly observer?: CreationObserver;
}

/** Opens the quotas, for one of two purposes. */
interface QuotaAccess {
  /** Reads or resets quotas for an operator. @throws StartError if they are in the memory of a server. */
  readonly withQuotas: <T>(use: (quotas: Pick<QuotaStore, 'peek' | 'reset'>) => Promise<T>) => Promise<T>;
  /** Starts to count requests. The caller closes the store before the others. */
  readonly startQuotas: () => Promise<RunningQuotaStore>;
}

export interface Stores extends QuotaAccess, ApplicationStores {
  readonly db: Pick<PostgresDatabase, 'migrations' | 'check'>;
  /** Where everything but the quotas is stored, without credentials. */
  readonly location: string;
  readonly keys: KeyStore;
  readonly apiKeyService: ApiKeyService;
  /** Resolves when pending writes have settled and everything is closed. */
  close(): Promise<void>;
}

/** Opens the stores in PostgreSQL or the data directory, and quotas in Redis or there. @throws StartError */
export async function openStores(config: Config, role: Role, options: StoreOptions): Promise<Stores> {
  const { contract, clock } = options;
  const { quotaTable, ...stores } = await openDatabaseStores(config, role, options);
  const prefix = keyPrefixesOf(contract.document)[config.environment];
  const apiKeyService = new ApiKeyService(stores.keys, contract.document['x-rate-limit-plans'], prefix, clock);
  return { ...stores, ...accessQuotas(config, quotaTable, options), apiKeyService };
}

async function openDatabaseStores(config: Config, role: Role, { clock, report, observer }: StoreOptions) {
  const { dataDirectory, databaseUrl: url, databaseConnectionsMax: connectionsMax } = config;
  if (url !== undefined) {
    // Loaded only if it is configured, because loading it delays the start.
    const { openPostgresStores } = await import('./open-postgres-stores.js');
    return openPostgresStores({ url, connectionsMax, timeouts: postgresTimeouts[role], clock, report }, observer);
  }
  const isServer = role === 'server';
  const lockTimeoutMs = isServer ? 0 : commandLockTimeoutMs;
  const options = { directory: dataDirectory, fileName: databaseFileName, lockTimeoutMs, clock, report };
  return openSqliteStores(options, isServer, observer);
}

/** The quotas in Redis, in the database of a single server, or in its memory. */
function accessQuotas(
  { redis }: Config,
  table: QuotaTable | undefined,
  { contract, clock, report }: StoreOptions,
): QuotaAccess {
  const rule = contract.document['x-rate-limit-ban'];
  if (redis === undefined) {
    const startQuotas = () => EmbeddedQuotaStore.open(rule, clock, table);
    const withQuotas: QuotaAccess['withQuotas'] = async (use) => {
      if (table !== undefined) return use(await startQuotas());
      throw new StartError('Set REDIS_URL: with DATABASE_URL alone, quotas are in the memory of each node.');
    };
    return { startQuotas, withQuotas };
  }
  return {
    startQuotas: async () => {
      const { FailoverQuotaStore } = await import('../rate-limits/failover-quota-store.js');
      return new FailoverQuotaStore(redis, rule, clock, report).start();
    },
    withQuotas: async (use) => {
      const { RedisQuotaStore } = await import('../rate-limits/redis-quota-store.js');
      let store: QuotaStore | undefined;
      try {
        store = await RedisQuotaStore.open(redis, rule, commandResponseTimeoutMs);
        return await use(store);
      } catch (cause) {
        throw storeUnavailable(new Error(`Redis at ${redis.description}: ${reasonOf(cause)}`, { cause }));
      } finally {
        await store?.close();
      }
    },
  };
}
