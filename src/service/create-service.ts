import type { Server } from 'node:http';
import type { KeyStore } from '../api-keys/api-key.js';
import { KeyRing } from '../api-keys/api-key-service.js';
import { Authenticator } from '../api-keys/authenticator.js';
import { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import type { MigrationOutcome } from '../database/migrations.js';
import { type Backup, type BackupOptions, backUpDatabase } from '../database/sqlite/backup.js';
import type { Role, Watch } from '../database/store-options.js';
import { createErrorHandlers } from '../http/api-error-handlers.js';
import { createApiRouter } from '../http/create-app.js';
import { ErrorReplies, type Report } from '../http/errors.js';
import { healthChecks } from '../http/health/health-checks.js';
import { createMetricsServer } from '../http/health/metrics-server.js';
import { Links } from '../http/links.js';
import { ConcurrencyLimit } from '../http/middleware/concurrency-limit.js';
import { DeprecationHeaders } from '../http/middleware/deprecation-headers.js';
import { addressPlanOf, RateLimiter } from '../http/middleware/rate-limiter.js';
import type { Connections } from '../http/protocol/connections.js';
import { listen } from '../http/protocol/listen.js';
import { RequestIds } from '../http/request-ids.js';
import { BackupError } from '../lib/backup-error.js';
import type { Clock } from '../lib/clock.js';
import { Readiness } from '../observability/readiness.js';
import { createApi } from '../openapi/create-api.js';
import { basePathOf, idempotencyRetentionSecondsOf } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';
import { createHandlers } from '../pets/handlers/index.js';
import { PetCreations } from '../pets/idempotent-create.js';
import type { PetArchive, PetStore } from '../pets/pet-store.js';
import { composeServer } from './create-http-server.js';
import { stopInSteps } from './graceful-shutdown.js';
import { Observer } from './instrumentation.js';
import { type Counters, embeddedCounters, type RunningCounters, sharedCounters } from './open-rate-limits.js';
import { DataDirectory } from './open-sqlite-stores.js';
import type { OperatorLog } from './operator-log.js';
import { Closers } from './resource-stack.js';
import { Chores } from './scheduler.js';

/** What a service needs beside its configuration. */
export interface Surroundings {
  readonly contract: ContractSource;
  readonly clock: Clock;
  /** Told about defects and about trouble of the storage. */
  readonly report: Report;
  /** Absent where nobody reads of requests and events. */
  readonly log?: Pick<OperatorLog, 'lines' | 'output'>;
}

export interface Stores {
  readonly pets: PetStore;
  readonly archive: PetArchive;
  readonly keys: KeyStore;
  readonly counters: Counters;
  /** Checks the files or the connections behind the stores. To be called every second by a server. */
  tend(): void;
  /** Where animals and keys are, for people. */
  readonly place: string;
  /** What the schemas consist of, and what of it was applied to open them. */
  readonly migrations: readonly MigrationOutcome[];
  /** Lets what is being written settle, then closes. */
  close(): Promise<void>;
}

/** Where a service that listens is found. */
export interface Addresses {
  /** What clients call it, up to and including the path prefix. */
  readonly baseUrl: string;
  /**
   * The same at the listener's own address, which works on this machine whatever stands before the service elsewhere.
   */
  readonly ownBaseUrl: string;
  readonly contractUrl: string;
  /** Where metrics are, if they are served. */
  readonly metricsUrl: string | undefined;
}

export interface Service {
  readonly server: Server;
  readonly stores: Stores;
  readonly counters: RunningCounters;
  readonly keyRing: KeyRing;
  /** Takes requests. @throws StartError if the address cannot be had. */
  listen(): Promise<Addresses>;
  /** Takes no more requests, finishes those in flight, then closes the stores. */
  close(): Promise<void>;
}

/** How long each step of a stop may take, once requests have their answers, in milliseconds: with them at most 10 s. */
const stepTimeoutMs = 500;
/** How often the times of last use of the keys are written down, in milliseconds. */
const keyUseIntervalMs = 60_000;
/** How often the server checks its storage, in milliseconds. */
const tendIntervalMs = 1000;
/**
 * How often requests are forgotten that can no longer be sent again, in milliseconds: often, because each time is
 * short.
 */
const forgettingIntervalMs = 1000;

/** @param role a `server` is the only one on its data directory; a `command` may work beside it. @throws StartError */
export async function openStores(config: Config, role: Role, watch: Watch = unwatched): Promise<Stores> {
  const opened = new Closers();
  try {
    const directory = opened.add(new DataDirectory(config.dataDirectory, role, watch));
    const catalogue = await openCatalogue(config, directory, role, watch);
    opened.add(catalogue);
    const counters =
      config.redis === undefined ? embeddedCounters(await directory.openLimits()) : sharedCounters(config.redis);
    opened.add(counters);
    const tend = () => {
      directory.tend();
      catalogue.tend();
    };
    const migrations = [...catalogue.migrations, ...directory.migrations];
    return { ...catalogue, counters, migrations, tend, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

type Catalogue = Omit<Stores, 'counters'>;

/** Animals and keys: in the data directory, which checks and closes them itself, or in PostgreSQL. */
async function openCatalogue(config: Config, directory: DataDirectory, role: Role, watch: Watch): Promise<Catalogue> {
  const { databaseUrl: url, databaseConnectionsMax: connectionsMax } = config;
  if (url === undefined) {
    const stores = await directory.openCatalogue();
    return { ...stores, place: directory.path, migrations: [], tend: () => undefined, close: () => Promise.resolve() };
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
const unwatched: Watch = { clock: Date.now, report: () => undefined };

export function createKeyRing(config: Config, { keys }: Stores, { contract, clock }: Surroundings): KeyRing {
  return new KeyRing(keys, contract.document['x-rate-limit-plans'], config.keyPrefix, clock);
}

/** Puts the service together. It opens its stores, and does not listen yet. @throws StartError */
export async function compose(config: Config, surroundings: Surroundings): Promise<Service> {
  const observer = await Observer.create(config, surroundings);
  const stores = await openStores(config, 'server', { ...surroundings, onGroup: observer.groupSizesOf('pets') });
  try {
    return await composeOver(stores, config, surroundings, observer);
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function composeOver(
  stores: Stores,
  config: Config,
  surroundings: Surroundings,
  observer: Observer,
): Promise<Service> {
  const { contract, clock, report } = surroundings;
  const { document } = contract;
  const links = new Links(document, clock);
  const rules = document['x-rate-limit-bans'];
  const counters = await stores.counters.start({ rules, clock, report, onGroup: observer.groupSizesOf('limits') });
  const authenticator = new Authenticator(observer.keys(stores.keys), config.keyPrefix, clock, config.requestsMax);
  const readiness = new Readiness(() => readEach(stores), observer.onReadiness);
  const parts = { config, surroundings, stores, links, counters, authenticator, readiness, observer };
  const { server, connections, metricsServer } = await composeHttp(parts);
  const chores = new Chores(report);
  chores.every(keyUseIntervalMs, () => authenticator.recordUses());
  chores.every(tendIntervalMs, () => stores.tend());
  chores.every(forgettingIntervalMs, () => stores.pets.forgetExpired(clock()));
  for (const { intervalMs, run } of counters.chores) chores.every(intervalMs, run);
  return {
    server,
    stores,
    counters,
    keyRing: createKeyRing(config, stores, surroundings),
    listen: async () => {
      const metricsUrl = metricsServer && (await listenForMetrics(metricsServer, config));
      const ownBaseUrl = `${await listen(server, { ...config, settings: 'HOST and PORT' })}${basePathOf(document)}`;
      const baseUrl = config.publicBaseUrl ?? ownBaseUrl;
      links.locate(baseUrl);
      return { baseUrl, ownBaseUrl, contractUrl: links.toContract(), metricsUrl };
    },
    close: () =>
      closeInSteps({ readiness, connections, server, chores, authenticator, counters, stores, metricsServer }),
  };
}

interface ClosingParts {
  readonly readiness: Readiness;
  readonly connections: Connections;
  readonly server: Server;
  readonly chores: Chores;
  readonly authenticator: Authenticator;
  readonly counters: RunningCounters;
  readonly stores: Stores;
  readonly metricsServer: Server | undefined;
}

function closeInSteps(parts: ClosingParts): Promise<void> {
  const { readiness, connections, server, chores, authenticator, counters, stores, metricsServer } = parts;
  // Metrics are served until the end, but not the readiness of closed stores.
  readiness.stop();
  const timeoutMs = stepTimeoutMs;
  return stopInSteps([
    { name: 'Answering what is in flight', timeoutMs: 7000, run: () => connections.drain(server) },
    { name: 'Ending the chores', timeoutMs, run: () => chores.stop() },
    { name: 'Writing down the uses of keys', timeoutMs, run: () => chores.run(() => authenticator.recordUses()) },
    { name: 'Writing the counters', timeoutMs, run: () => counters.close() },
    { name: 'Closing the stores', timeoutMs, run: () => stores.close() },
    { name: 'Closing the metrics', timeoutMs, run: () => metricsServer?.close().closeAllConnections() },
  ]);
}

interface HttpParts {
  readonly config: Config;
  readonly surroundings: Surroundings;
  readonly stores: Stores;
  readonly links: Links;
  readonly counters: RunningCounters;
  readonly authenticator: Authenticator;
  readonly readiness: Readiness;
  readonly observer: Observer;
}

/** The server with its connections, and the one for metrics if they are served. */
async function composeHttp(parts: HttpParts) {
  const { config, surroundings, stores, links, counters, authenticator, readiness, observer } = parts;
  const { contract, clock, report } = surroundings;
  const { document, isChecked } = contract;
  const redactor = new KeyRedactor(document);
  const errors = new ErrorReplies(document, redactor, report);
  const requestIds = new RequestIds(document, redactor);
  const limiter = new RateLimiter(
    observer.limits(counters.store),
    document['x-rate-limit-plans'],
    addressPlanOf(document),
  );
  const pets = observer.pets(stores.pets);
  const creations = new PetCreations(pets, idempotencyRetentionSecondsOf(document) * 1000, clock);
  const handlers = createHandlers(pets, creations, links);
  const api = await createApi({ document, isChecked, handlers, errorHandlers: createErrorHandlers(clock) });
  const deprecations = new DeprecationHeaders(links);
  const concurrency = new ConcurrencyLimit(config.requestsMax);
  const router = createApiRouter({ api, authenticator, limiter, errors, deprecations, concurrency, clock });
  const { onEnd, onFault, onWatched } = observer;
  const common = { config, contract, api, router, readiness, errors, requestIds, limiter };
  const { server, frontDoor, connections } = composeServer({ ...common, onEnd, onFault });
  const metrics = observer.exposeMetrics({
    requestsInFlight: () => frontDoor.inFlight,
    connections: () => connections.count,
    areCountersDegraded: () => counters.isDegraded,
    counterLosses: () => counters.losses,
  });
  const resources = metrics && { ...healthChecks(readiness), ...metrics };
  const requestLimits = document['x-request-limits'];
  const metricsServer =
    resources && createMetricsServer({ resources, requestIds, errors, requestLimits, onEnd: onWatched });
  return { server, connections, metricsServer };
}

/** What requests need: an animal and a key, or the knowledge that they are not there. */
async function readEach({ pets, keys }: Stores): Promise<void> {
  await Promise.all([pets.list({ limit: 1, status: undefined, afterId: 0 }), keys.find('')]);
}

async function listenForMetrics(server: Server, { metricsHost: host, metricsPort: port = 0 }: Config): Promise<string> {
  return `${await listen(server, { host, port, settings: 'METRICS_HOST and METRICS_PORT' })}/metrics`;
}
