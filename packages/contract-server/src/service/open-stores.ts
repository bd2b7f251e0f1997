import type { Clock } from '@contract-server/core/lib/clock.js';
import { type Report, reasonOf, StartError, storeUnavailable } from '@contract-server/core/lib/errors.js';
import type { ServedContract } from '@contract-server/core/load/load-contract.js';
import { ApiKeyService } from '../api-keys/api-key-service.js';
import type { Config } from '../config.js';
import type { WriteMetrics } from '../database/group-commit.js';
import { type Migration, readMigrations } from '../database/migrations.js';
import type { SqliteDatabase } from '../database/sqlite/database.js';
import { EmbeddedQuotaStore } from '../rate-limits/embedded-quota-store.js';
import { MemoryQuotaStore } from '../rate-limits/memory-quota-store.js';
import type { QuotaStore, RunningQuotaStore } from '../rate-limits/quota-store.js';
import {
  type ApplicationStores,
  type Database,
  type Engine,
  findApiKeys,
  type Role,
  type ServiceDefinition,
  type StoresDefinition,
} from './definition.js';
import { openAll, type ResourceStack } from './resource-stack.js';

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

/** The API keys of a service. */
export type OpenedKeys = Awaited<ReturnType<typeof openKeys>>;

/** The migrations of a service: those of the library's parts, then those of the application. */
export async function migrationsOf(
  definition: Pick<ServiceDefinition, 'stores' | 'security'>,
  engine: Database['engine'],
): Promise<readonly Migration[]> {
  const parts = [...(findApiKeys(definition)?.migrations[engine] ?? [])];
  const { migrations } = definition.stores ?? {};
  if (migrations !== undefined) parts.push(['application', new URL(`${engine}/`, migrations)]);
  return (await Promise.all(parts.map(([part, folder]) => readMigrations(part, folder)))).flat();
}

/** The engine that the settings select. `undefined` for a service without a database. */
export function findEngine<Application extends ApplicationStores>(
  { sqlite, postgres }: StoresDefinition<Application> = {},
  { databaseUrl }: Config,
): readonly [Database['engine'], Engine<Application>] | undefined {
  if (postgres !== undefined && databaseUrl !== undefined) return ['postgres', postgres];
  return sqlite && ['sqlite', sqlite];
}

/** Opens the stores in the database, and quotas in Redis, in SQLite or in memory. @throws StartError */
export function openStores<Application extends ApplicationStores>(
  config: Config,
  role: Role,
  options: StoreOptions<Application>,
) {
  return openAll(options.report, async (opened) => {
    const database = await openDatabase(opened, config, role, options);
    const apiKeys = await openKeys(database?.db, config, options);
    // The table of quotas belongs to the API keys.
    const quotaDb = apiKeys && database?.db.engine === 'sqlite' ? database.db : undefined;
    return {
      /** `undefined` for a service without stores, whose application does not use them. */
      application: database?.application as Application,
      db: database?.db,
      /** Where the data is, for messages. */
      location: database?.location ?? 'memory',
      apiKeys,
      ...quotaAccess(opened, quotaDb, config, options),
      /** Resolves when pending writes have settled and everything is closed. */
      close: () => opened.close(),
    };
  });
}

async function openDatabase<Application extends ApplicationStores>(
  opened: ResourceStack,
  config: Config,
  role: Role,
  { definition, clock, metrics, report, mustExist = false }: StoreOptions<Application>,
) {
  const found = findEngine(definition.stores, config);
  if (found === undefined) return undefined;
  const [engineName, engine] = found;
  const migrations = await migrationsOf(definition, engineName);
  const { name } = definition;
  const database = await engine.open(opened, { name, config, role, migrations, mustExist, clock, metrics, report });
  const { application } = database;
  opened.add({ close: () => application.close?.() });
  return database;
}

/** @throws StartError without a database. */
async function openKeys(
  db: Database | undefined,
  { environment = '' }: Config,
  {
    definition,
    contract,
    clock,
  }: Pick<StoreOptions, 'contract' | 'clock'> & {
    readonly definition: Pick<ServiceDefinition, 'name' | 'security'>;
  },
) {
  const part = findApiKeys(definition);
  if (part === undefined) return undefined;
  if (db === undefined) throw new StartError('API keys need a database; add `stores` to the service.');
  const store = await part.openStore(db);
  const tokenPrefix = contract.keyPrefixes[environment] as string;
  const service = new ApiKeyService(store, contract.plans, tokenPrefix, clock, definition.name);
  return { store, service, tokenPrefix };
}

/** How a server and commands open the quotas. */
function quotaAccess(
  opened: ResourceStack,
  quotaDb: SqliteDatabase | undefined,
  { redis }: Config,
  {
    definition,
    contract,
    clock,
    report,
  }: Pick<StoreOptions, 'contract' | 'clock' | 'report'> & {
    readonly definition: Pick<ServiceDefinition, 'name' | 'quotas'>;
  },
) {
  const { name, quotas: shared } = definition;
  const rule = contract.banRule;
  const openLocal = async (): Promise<RunningQuotaStore> =>
    quotaDb === undefined ? new MemoryQuotaStore(rule, clock) : EmbeddedQuotaStore.open(rule, clock, quotaDb);
  return {
    /** Starts to count requests. The caller closes the store before the others. */
    startQuotas: (): Promise<RunningQuotaStore> =>
      shared === undefined || redis === undefined ? openLocal() : shared.start(name, redis, rule, clock, report),
    /** Reads or resets quotas for an operator. @throws StartError if they are in the memory of a server. */
    withQuotas: async <T>(use: (quotas: Pick<QuotaStore, 'peek' | 'reset'>) => Promise<T>): Promise<T> => {
      if (shared !== undefined && redis !== undefined) {
        try {
          return await use(opened.add(await shared.open(name, redis, rule)));
        } catch (cause) {
          throw storeUnavailable(new Error(`Redis at ${redis.description}: ${reasonOf(cause)}`, { cause }));
        }
      }
      if (quotaDb !== undefined) return use(await openLocal());
      const advice = shared === undefined ? 'Count them in Redis, with redisQuotas()' : 'Set REDIS_URL';
      throw new StartError(`${advice}: with DATABASE_URL alone, quotas are in the memory of each node.`);
    },
  };
}
