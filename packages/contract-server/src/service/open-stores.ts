import { ApiKeyService } from '../api-keys/api-key-service.js';
import { SqliteKeyStore } from '../api-keys/sqlite-key-store.js';
import type { Config } from '../config.js';
import type { WriteMetrics } from '../database/group-commit.js';
import { type Migration, readMigrations } from '../database/migrations.js';
import type { Timeouts } from '../database/postgres/database.js';
import { openSqliteDatabase } from '../database/sqlite/open-database.js';
import { takeServerLock } from '../database/sqlite/server-lock.js';
import type { Clock } from '../lib/clock.js';
import { type Report, reasonOf, StartError, storeUnavailable } from '../lib/errors.js';
import { keyPrefixesOf } from '../openapi/document.js';
import type { ServedContract } from '../openapi/load-contract.js';
import { EmbeddedQuotaStore } from '../rate-limits/embedded-quota-store.js';
import type { QuotaStore, RunningQuotaStore } from '../rate-limits/quota-store.js';
import type { ApplicationStores, ServiceDefinition } from './definition.js';
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

type Engine = 'sqlite' | 'postgres';

/** The parts of the library that have tables, with the folders of their SQL files. */
const libraryParts: Readonly<Record<Engine, readonly (readonly [part: string, folder: URL])[]>> = {
  sqlite: [
    ['api-keys', new URL('../api-keys/migrations/sqlite/', import.meta.url)],
    ['rate-limits', new URL('../rate-limits/migrations/sqlite/', import.meta.url)],
  ],
  postgres: [['api-keys', new URL('../api-keys/migrations/postgres/', import.meta.url)]],
};

/** The migrations of a service: those of the library's parts, then those of the application. */
export async function migrationsOf(
  { stores }: { readonly stores: { readonly migrations: URL } },
  engine: Engine,
): Promise<readonly Migration[]> {
  const own = await readMigrations('application', new URL(`${engine}/`, stores.migrations));
  return [...(await libraryMigrations(engine)), ...own];
}

/** The migrations of the parts of the library. */
export async function libraryMigrations(engine: Engine): Promise<readonly Migration[]> {
  const parts = libraryParts[engine].map(([part, folder]) => readMigrations(part, folder));
  return (await Promise.all(parts)).flat();
}

export function databaseFileName({ name }: { readonly name: string }): string {
  return `${name}.db`;
}

export interface StoreOptions<Application extends ApplicationStores = ApplicationStores> {
  readonly definition: ServiceDefinition<Application>;
  readonly contract: ServedContract;
  readonly clock: Clock;
  readonly report: Report;
  readonly metrics?: WriteMetrics | undefined;
  /** Whether the database must exist. Default: it is created. */
  readonly mustExist?: boolean;
}

/** The stores of the application and of the library. */
export type Stores<Application extends ApplicationStores = ApplicationStores> = Awaited<
  ReturnType<typeof openStores<Application>>
>;

/** Opens the stores in PostgreSQL or the data directory, and quotas in Redis or there. @throws StartError */
export function openStores<Application extends ApplicationStores>(
  config: Config,
  role: Role,
  options: StoreOptions<Application>,
) {
  const { definition, contract, clock, report } = options;
  const { 'x-rate-limit-ban': rule, 'x-rate-limit-plans': plans } = contract.document;
  const { redis, environment } = config;
  const tokenPrefix = keyPrefixesOf(contract.document)[environment] as string;
  return openAll(report, async (opened) => {
    const { quotaDb, ...stores } =
      config.databaseUrl === undefined
        ? await openSqlite(opened, config, role, options)
        : await openPostgres(opened, config, role, options);
    const openEmbeddedQuotas = () => EmbeddedQuotaStore.open(rule, clock, quotaDb);
    return {
      ...stores,
      apiKeyService: new ApiKeyService(stores.keys, plans, tokenPrefix, clock, definition.name),
      /** Starts to count requests. The caller closes the store before the others. */
      startQuotas: async (): Promise<RunningQuotaStore> => {
        if (redis === undefined) return openEmbeddedQuotas();
        const { FailoverQuotaStore } = await import('../rate-limits/failover-quota-store.js');
        const quotas = new FailoverQuotaStore(definition.name, redis, rule, clock, report);
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
          return await use(
            opened.add(await RedisQuotaStore.open(definition.name, redis, rule, commandResponseTimeoutMs)),
          );
        } catch (cause) {
          throw storeUnavailable(new Error(`Redis at ${redis.description}: ${reasonOf(cause)}`, { cause }));
        }
      },
      /** Resolves when pending writes have settled and everything is closed. */
      close: () => opened.close(),
    };
  });
}

async function openSqlite<Application extends ApplicationStores>(
  opened: ResourceStack,
  config: Config,
  role: Role,
  options: StoreOptions<Application>,
) {
  const { definition } = options;
  const { dataDirectory: directory } = config;
  if (role === 'server') opened.add(takeServerLock(directory, definition.name));
  const migrations = await migrationsOf(definition, 'sqlite');
  const lockTimeoutMs = role === 'server' ? 0 : commandLockTimeoutMs;
  const places = { directory, fileName: databaseFileName(definition) };
  const db = opened.add(await openSqliteDatabase({ ...options, ...places, migrations, lockTimeoutMs }));
  const application = opened.add(definition.stores.sqlite.createStores(db, options.metrics));
  return { application, db, location: directory, keys: new SqliteKeyStore(db), quotaDb: db };
}

/** Loads its modules on demand, because loading them delays the start. */
async function openPostgres<Application extends ApplicationStores>(
  opened: ResourceStack,
  config: Config,
  role: Role,
  options: StoreOptions<Application>,
) {
  const { PostgresKeyStore } = await import('../api-keys/postgres-key-store.js');
  const { openPostgresDatabase } = await import('../database/postgres/open-database.js');
  const { name, stores } = options.definition;
  const { databaseUrl: url = '', databaseConnectionsMax: connectionsMax } = config;
  const { startSql = '' } = stores.postgres;
  const schema = { migrations: await migrationsOf(options.definition, 'postgres'), startSql };
  const connection = { applicationName: name, url, connectionsMax, timeouts: postgresTimeouts[role] };
  const db = opened.add(await openPostgresDatabase({ ...options, ...connection, ...schema }));
  const application = opened.add(await stores.postgres.createStores(db, options.metrics));
  return { application, db, location: db.location, keys: new PostgresKeyStore(db), quotaDb: undefined };
}
