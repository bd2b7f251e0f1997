import { ApiKeyService } from '../api-keys/api-key-service.js';
import { SqliteKeyStore } from '../api-keys/sqlite-key-store.js';
import type { Config } from '../config.js';
import type { WriteMetrics } from '../database/group-commit.js';
import { readMigrations } from '../database/migrations.js';
import type { Timeouts } from '../database/postgres/database.js';
import { openSqliteDatabase } from '../database/sqlite/open-database.js';
import { takeServerLock } from '../database/sqlite/server-lock.js';
import type { Clock } from '../lib/clock.js';
import { type Report, reasonOf, StartError, storeUnavailable } from '../lib/errors.js';
import { productName } from '../lib/product.js';
import { keyPrefixesOf } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';
import { EmbeddedQuotaStore } from '../rate-limits/embedded-quota-store.js';
import type { QuotaStore, RunningQuotaStore } from '../rate-limits/quota-store.js';
import { createPostgresStores, createSqliteStores, postgresStartSql } from './application.js';
import { openAll, type ResourceStack } from './resource-stack.js';

/** How long a command waits for a lock of the server, or for a response of Redis, in milliseconds. */
const commandLockTimeoutMs = 10_000;
const commandResponseTimeoutMs = 2000;

/** During an outage, responses take up to 2.5 s, or 5 s for a creation that waited for the group before it. */
export const postgresTimeouts = {
  server: { connectMs: 800, lockMs: 0, statementMs: 1200, responseMs: 1500 },
  command: { connectMs: 5000, lockMs: commandLockTimeoutMs, statementMs: 0, responseMs: 0 },
} as const satisfies Readonly<Record<string, Timeouts>>;

/**
 * The kind of process that opens the stores. A `server` never waits for locks on its event loop, and is the only one on
 * its data directory; a `command` may wait, also while a server runs.
 */
type Role = keyof typeof postgresTimeouts;

/** The SQL files of each engine. */
export const sqliteMigrations = new URL('../migrations/sqlite/', import.meta.url);
export const postgresMigrations = new URL('../migrations/postgres/', import.meta.url);

export const databaseFileName = `${productName}.db`;

export interface StoreOptions {
  readonly contract: ContractSource;
  readonly clock: Clock;
  readonly report: Report;
  readonly metrics?: WriteMetrics | undefined;
  /** Whether the database must exist. Default: it is created. */
  readonly mustExist?: boolean;
}

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** Opens the stores in PostgreSQL or the data directory, and quotas in Redis or there. @throws StartError */
export function openStores(config: Config, role: Role, options: StoreOptions) {
  const { contract, clock, report } = options;
  const { 'x-rate-limit-ban': rule, 'x-rate-limit-plans': plans } = contract.document;
  const { redis, environment } = config;
  return openAll(report, async (opened) => {
    const open = config.databaseUrl === undefined ? openSqlite : openPostgres;
    const { quotaDb, ...stores } = await open(opened, config, role, options);
    const openEmbeddedQuotas = () => EmbeddedQuotaStore.open(rule, clock, quotaDb);
    return {
      ...stores,
      apiKeyService: new ApiKeyService(stores.keys, plans, keyPrefixesOf(contract.document)[environment], clock),
      /** Starts to count requests. The caller closes the store before the others. */
      startQuotas: async (): Promise<RunningQuotaStore> => {
        if (redis === undefined) return openEmbeddedQuotas();
        const { FailoverQuotaStore } = await import('../rate-limits/failover-quota-store.js');
        const quotas = new FailoverQuotaStore(redis, rule, clock, report);
        await quotas.maintain();
        return quotas;
      },
      /** Reads or resets quotas for an operator. @throws StartError if they are in the memory of a server. */
      withQuotas: async <T>(use: (quotas: Pick<QuotaStore, 'peek' | 'reset'>) => Promise<T>): Promise<T> => {
        if (redis === undefined && quotaDb === undefined)
          throw new StartError('Set REDIS_URL: with DATABASE_URL alone, quotas are in the memory of each node.');
        if (redis === undefined) return use(await openEmbeddedQuotas());
        const { RedisQuotaStore } = await import('../rate-limits/redis-quota-store.js');
        try {
          return await use(opened.add(await RedisQuotaStore.open(redis, rule, commandResponseTimeoutMs)));
        } catch (cause) {
          throw storeUnavailable(new Error(`Redis at ${redis.description}: ${reasonOf(cause)}`, { cause }));
        }
      },
      /** Resolves when pending writes have settled and everything is closed. */
      close: () => opened.close(),
    };
  });
}

async function openSqlite(opened: ResourceStack, config: Config, role: Role, options: StoreOptions) {
  const { dataDirectory: directory } = config;
  if (role === 'server') opened.add(takeServerLock(directory));
  const migrations = await readMigrations(sqliteMigrations);
  const lockTimeoutMs = role === 'server' ? 0 : commandLockTimeoutMs;
  const places = { directory, fileName: databaseFileName };
  const db = opened.add(await openSqliteDatabase({ ...options, ...places, migrations, lockTimeoutMs }));
  const application = opened.add(createSqliteStores(db, options.metrics));
  return { ...application, db, location: directory, keys: new SqliteKeyStore(db), quotaDb: db };
}

/** Loads its modules on demand, because loading them delays the start. */
async function openPostgres(opened: ResourceStack, config: Config, role: Role, options: StoreOptions) {
  const { PostgresKeyStore } = await import('../api-keys/postgres-key-store.js');
  const { openPostgresDatabase } = await import('../database/postgres/open-database.js');
  const { databaseUrl: url = '', databaseConnectionsMax: connectionsMax } = config;
  const schema = { migrations: await readMigrations(postgresMigrations), startSql: postgresStartSql };
  const connection = { url, connectionsMax, timeouts: postgresTimeouts[role] };
  const db = opened.add(await openPostgresDatabase({ ...options, ...connection, ...schema }));
  const application = opened.add(await createPostgresStores(db, options.metrics));
  return { ...application, db, location: db.location, keys: new PostgresKeyStore(db), quotaDb: undefined };
}
