import type { KeyStore } from '../api-keys/api-key.js';
import { ApiKeyService } from '../api-keys/api-key-service.js';
import { SqliteKeyStore } from '../api-keys/sqlite-key-store.js';
import type { Config } from '../config.js';
import { type MigrationResult, readMigrations } from '../database/migrations.js';
import { OutageLog } from '../database/outage-log.js';
import { openSqliteDatabase } from '../database/sqlite/open-database.js';
import { takeServerLock } from '../database/sqlite/server-lock.js';
import { reasonOf, StartError, storeUnavailable } from '../lib/errors.js';
import { type ContractDocument, keyPrefixesOf } from '../openapi/document.js';
import type { PetStore, PetTransfer } from '../pets/pet-store.js';
import { SqlitePetStore } from '../pets/sqlite/pet-store.js';
import { SqlitePetTransfer } from '../pets/sqlite/pet-transfer.js';
import { EmbeddedQuotaStore } from '../rate-limits/embedded-quota-store.js';
import type { QuotaStore, RunningQuotaStore } from '../rate-limits/quota-store.js';
import { WindowTable } from '../rate-limits/window-table.js';
import type { Role, StoreOptions } from './open-postgres-stores.js';
import { openAll } from './resource-stack.js';

/** How long a command waits for a lock of the server, or for a response of Redis, in milliseconds. */
const commandLockTimeoutMs = 10_000;
const commandResponseTimeoutMs = 2000;

export const databaseFileName = 'petstore.db';

/** The SQL files of the embedded database. */
export const sqliteMigrations = new URL('../migrations/sqlite/', import.meta.url);

interface Quotas {
  /** Reads or resets quotas for an operator. @throws StartError if they are in the memory of a server. */
  readonly useQuotas: <T>(use: (quotas: Pick<QuotaStore, 'peek' | 'reset'>) => Promise<T>) => Promise<T>;
  /** Starts to count requests. The caller closes the store before the others. */
  readonly startQuotas: () => Promise<RunningQuotaStore>;
}

export interface Stores extends Quotas {
  readonly pets: PetStore;
  readonly transfer: PetTransfer;
  readonly keys: KeyStore;
  readonly apiKeyService: ApiKeyService;
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
  const { databaseUrl, databaseConnectionsMax } = config;
  const { document } = options.contract;
  const open = async () => {
    if (databaseUrl === undefined) return openSqliteStores(config, role, options);
    // Loaded only if it is configured, because loading it delays the start.
    const { openPostgresStores } = await import('./open-postgres-stores.js');
    return openPostgresStores(databaseUrl, databaseConnectionsMax, role, options);
  };
  const { windows, ...stores } = await open();
  const prefix = keyPrefixOf(config, document);
  const apiKeyService = new ApiKeyService(stores.keys, document['x-rate-limit-plans'], prefix, options.clock);
  return { ...stores, ...openQuotas(config, windows, options), apiKeyService };
}

/** The prefix of the API keys that are accepted. */
export function keyPrefixOf({ environment }: Config, document: ContractDocument): string {
  return keyPrefixesOf(document)[environment];
}

/** Opens the database in the data directory, which only one server may use. @throws StartError */
function openSqliteStores({ dataDirectory }: Config, role: Role, { clock, report, onBatch }: StoreOptions) {
  return openAll(report, async (opened) => {
    if (role === 'server') opened.add(takeServerLock(dataDirectory));
    const db = opened.add(
      await openSqliteDatabase({
        directory: dataDirectory,
        fileName: databaseFileName,
        migrations: await readMigrations(sqliteMigrations),
        lockTimeoutMs: role === 'server' ? 0 : commandLockTimeoutMs,
        outages: new OutageLog(databaseFileName, clock, report),
      }),
    );
    return {
      pets: opened.add(new SqlitePetStore(db, onBatch)),
      transfer: new SqlitePetTransfer(db),
      keys: new SqliteKeyStore(db),
      windows: new WindowTable(db),
      location: dataDirectory,
      migrations: db.migrations,
      check: () => db.check(),
      close: () => opened.close(),
    };
  });
}

/** The quotas in Redis, in the database of a single server, or in its memory. */
function openQuotas(
  { redis }: Config,
  windows: WindowTable | undefined,
  { contract, clock, report }: StoreOptions,
): Quotas {
  const rule = contract.document['x-rate-limit-ban'];
  if (redis !== undefined) {
    return {
      useQuotas: async (use) => {
        const { RedisQuotaStore } = await import('../rate-limits/redis-quota-store.js');
        let store: QuotaStore | undefined;
        try {
          store = await RedisQuotaStore.open(redis, rule, commandResponseTimeoutMs);
          return await use(store);
        } catch (error) {
          throw storeUnavailable(new Error(`Redis at ${redis.description}: ${reasonOf(error)}`));
        } finally {
          await store?.close();
        }
      },
      startQuotas: async () => {
        const { FailoverQuotaStore } = await import('../rate-limits/failover-quota-store.js');
        return new FailoverQuotaStore(redis, rule, clock, report).start();
      },
    };
  }
  const open = () => EmbeddedQuotaStore.open(rule, clock, windows);
  return {
    useQuotas: async (use) => {
      if (windows === undefined)
        throw new StartError('Set REDIS_URL: with DATABASE_URL alone, quotas are in the memory of each node.');
      return use(await open());
    },
    startQuotas: open,
  };
}
