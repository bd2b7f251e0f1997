import type { Contract } from '@contract-server/core/contract/contract.js';
import type { BanRule, ContractDocument } from '@contract-server/core/contract/document.js';
import type { ErrorCodes } from '@contract-server/core/contract/error-codes.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import type { Report } from '@contract-server/core/lib/errors.js';
import type { ServedContract } from '@contract-server/core/load/load-contract.js';
import type { AnyHooks } from '@contract-server/core/types/hooks.js';
import type { AnyHandlers, Caller } from '@contract-server/core/types/types.js';
import type { RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import type { KeyStore } from '../api-keys/api-key.js';
import type { ApplicationSettings, Config, Part, SettingsOwner } from '../config.js';
import type { WriteMetrics } from '../database/group-commit.js';
import type { Migration } from '../database/migrations.js';
import type { PostgresDatabase } from '../database/postgres/database.js';
import type { SqliteDatabase } from '../database/sqlite/database.js';
import { KeyRedactor } from '../log/key-redactor.js';
import type { MeasureStore, Metrics } from '../observability/metrics.js';
import type { QuotaStore, RunningQuotaStore } from '../rate-limits/quota-store.js';
import type { RedisTarget } from '../rate-limits/redis-target.js';
import type { ApiBehaviour, RouterSecurityContext, SecurityHandler } from '../router/api-behaviour.js';
import type { ResourceStack } from './resource-stack.js';

/** The stores of an application, which its commands use too: an object, with or without `close`. */
export type ApplicationStores = object & {
  /** Called before the database is closed. Resolves when pending writes have settled. */
  close?(): Promise<void>;
};

/** What stores are created from, besides their database. */
export interface StoreDependencies {
  readonly clock: Clock;
  /** Measures writes, if the server has metrics. */
  readonly metrics?: WriteMetrics | undefined;
}

/**
 * Creates the stores of an application in a database. It may load its modules on demand, because loading them delays
 * the start.
 */
export type CreateStores<Db, Stores extends ApplicationStores> = (
  db: Db,
  dependencies: StoreDependencies,
) => Stores | Promise<Stores>;

/** Creates no stores, for an application without stores of its own, such as one whose database has only API keys. */
export const noStores = () => ({}) as never;

/**
 * The kind of process that opens the stores. A `server` never waits for locks on its event loop, and is the only one on
 * its data directory; a `command` may wait, also while a server runs.
 */
export type Role = 'server' | 'command';

/** An open database of either engine. */
export type Database = SqliteDatabase | PostgresDatabase;

/** What an engine opens a database with. */
export interface EngineOptions extends StoreDependencies {
  readonly name: string;
  readonly config: Config;
  readonly role: Role;
  readonly migrations: readonly Migration[];
  /** Whether the database must exist. Default: it is created. */
  readonly mustExist: boolean;
  readonly report: Report;
}

/** A database engine with the stores of an application: `sqlite(…)` or `postgres(…)`. Its members are internal. */
export interface Engine<Stores extends ApplicationStores = ApplicationStores> {
  /** Opens the database and its stores, and adds both to the resources. @throws StartError */
  open(
    opened: ResourceStack,
    options: EngineOptions,
  ): Promise<{ readonly db: Database; readonly application: Stores; readonly location: string }>;
  /** Checks the settings for `serve --check`. Creates nothing. @returns what was checked. @throws StartError */
  check(name: string, config: Config): Promise<string>;
}

/** The main table of an application, of which commands report the number of rows, and what they call a row. */
export interface Records {
  readonly table: string;
  readonly one: string;
  readonly many: string;
}

/** The databases of a service. With both engines, `DATABASE_URL` selects PostgreSQL. */
export interface StoresDefinition<Stores extends ApplicationStores = ApplicationStores> {
  /**
   * The folder with numbered SQL files in `sqlite/` and `postgres/`, such as `0001-books.sql`. A start applies new ones
   * in one transaction, and refuses changed ones. A file with which earlier releases cannot work has a line with the
   * oldest migration that a release must have to work with it: `-- compatible from 4`.
   */
  readonly migrations?: URL;
  readonly records?: Records;
  /** The tables of SQLite that `copy` does not copy to PostgreSQL, such as caches and search indexes. */
  readonly localTables?: readonly string[];
  readonly sqlite?: Engine<Stores>;
  readonly postgres?: Engine<Stores>;
}

/** What a security handler of a service receives besides the credentials. */
export interface SecurityContext<Stores = unknown, Settings = unknown> extends RouterSecurityContext {
  readonly stores: Stores;
  readonly settings: Settings;
  /** Such as for the time at which a token expires. */
  readonly clock: Clock;
}

/** The security handler for API keys that the service issues: `apiKeys()`. Its members are internal. */
export interface ApiKeysPart {
  /** The SQL files of its tables, by part, in each engine. */
  readonly migrations: Readonly<Record<Database['engine'], readonly (readonly [part: string, folder: URL])[]>>;
  /** The tables of SQLite whose data is elsewhere, or nowhere, with PostgreSQL. */
  readonly localTables: readonly string[];
  openStore(db: Database): Promise<KeyStore>;
}

/** Quotas in Redis, which any number of nodes share: `redisQuotas()`. Its members are internal. */
export interface QuotasPart {
  /** Counts requests for a server: on this node alone while Redis is unavailable. */
  start(name: string, target: RedisTarget, rule: BanRule, clock: Clock, report: Report): Promise<RunningQuotaStore>;
  /** For a command. Rejects if Redis does not respond in time. */
  open(name: string, target: RedisTarget, rule: BanRule): Promise<QuotaStore>;
}

/** Metrics of the server: `metrics()`. Its member is internal. */
export interface MetricsPart {
  create(name: string, version: string): Promise<Metrics>;
}

/** The API reference: `apiReference()`. */
export interface ReferencePart {
  /** Creates its routes. @param codes the error codes that the server returns, with their statuses. */
  create(contract: ServedContract, codes: ErrorCodes): Promise<Router>;
}

/** What an application is created from. */
export interface ApplicationDependencies<Stores = unknown, Settings = unknown> {
  readonly stores: Stores;
  readonly settings: Settings;
  /** The log of the service. */
  readonly log: Logger;
  /** Measures the named methods of a store under a label, if metrics are enabled. */
  readonly measureStore: MeasureStore;
  readonly clock: Clock;
  readonly document: ContractDocument;
}

/** The handlers and the tasks of an application. */
export interface Application<ApplicationHandlers = AnyHandlers> extends AnyHooks {
  /** One handler for each operation that declares a successful response. */
  readonly handlers: ApplicationHandlers;
  /** Resolves if the stores respond. If it rejects, the readiness check returns 503. */
  readonly check?: () => Promise<unknown>;
  /** Runs every second, for example to delete what has expired. Errors are logged. */
  readonly maintain?: () => Promise<unknown>;
  /** Express middleware ahead of everything else. It must not read bodies of the API. */
  readonly middleware?: readonly RequestHandler[];
  /** Express routers and routes, for paths that are neither those of the API nor of documents. */
  readonly routes?: readonly RequestHandler[];
}

/** The definition of a service: its contract, its parts and its application. */
export interface ServiceDefinition<Stores extends ApplicationStores = ApplicationStores> extends ApiBehaviour {
  /** Lower-case letters, digits and hyphens. Settings, metrics, Redis keys and the database file are named after it. */
  readonly name: string;
  /** The OpenAPI document. */
  readonly contract: URL;
  /** Where the build stores that it has checked the contract; without it, each start checks the contract. */
  readonly checkedContract?: URL;
  /** Settings of the application. */
  readonly settings?: ApplicationSettings;
  /** The databases. Default: none. */
  readonly stores?: StoresDefinition<Stores>;
  /** A handler for each security scheme that operations require. */
  readonly security?: Readonly<Record<string, SecurityHandler<never, Caller, never> | ApiKeysPart>>;
  /**
   * `redisQuotas()`. Default: quotas are counted in the memory of the node, and saved in SQLite if the service has API
   * keys.
   */
  readonly quotas?: QuotasPart;
  /** `metrics()`. Default: none. */
  readonly metrics?: MetricsPart;
  /** `apiReference()`. Default: none, and the contract is not served. */
  readonly reference?: ReferencePart;
  /** Creates the handlers and the tasks of the application, when its stores are open. */
  create(dependencies: ApplicationDependencies<Stores>): Application;
}

/** The scheme whose credentials are API keys of the service. @throws TypeError for several of them. */
export function findApiKeys({ security = {} }: Pick<ServiceDefinition, 'security'>) {
  const found = Object.values(security).filter((handler) => typeof handler === 'object');
  if (found.length > 1) throw new TypeError('Only one security scheme can use apiKeys().');
  return found[0];
}

/** The parts of a service that have settings. */
function partsOf(definition: Omit<ServiceDefinition, 'create'>): ReadonlySet<Part> {
  const { stores, quotas, metrics } = definition;
  const parts: Readonly<Record<Part, unknown>> = {
    sqlite: stores?.sqlite,
    postgres: stores?.postgres,
    redis: quotas,
    'api-keys': findApiKeys(definition),
    metrics,
  };
  return new Set(Object.entries(parts).flatMap(([name, part]) => (part === undefined ? [] : [name as Part])));
}

/** What the settings of a service depend on. */
export function settingsOwner(definition: Omit<ServiceDefinition, 'create'>): SettingsOwner {
  return { name: definition.name, parts: partsOf(definition), settings: definition.settings };
}

/** Creates the redactor that removes API keys of the service from text. */
export function redactorOf(definition: Pick<ServiceDefinition, 'security'>, { keyPrefixes }: Contract): KeyRedactor {
  return new KeyRedactor(findApiKeys(definition) === undefined ? [] : Object.values(keyPrefixes));
}
