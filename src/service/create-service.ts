import type { Server } from 'node:http';
import type { ApiKeyService } from '../api-keys/api-key-service.js';
import { Authenticator } from '../api-keys/authenticator.js';
import { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import { createErrorHandlers } from '../http/api-error-handlers.js';
import { createApiRouter } from '../http/create-app.js';
import { ErrorResponses, type Report } from '../http/errors.js';
import { healthChecks } from '../http/health/health-checks.js';
import { createMetricsServer } from '../http/health/metrics-server.js';
import { Links } from '../http/links.js';
import { Listener } from '../http/listener.js';
import { ConcurrencyLimit } from '../http/middleware/concurrency-limit.js';
import { DeprecationHeaders } from '../http/middleware/deprecation-headers.js';
import { addressPlanOf, RateLimiter } from '../http/middleware/rate-limiter.js';
import type { Connections } from '../http/protocol/connections.js';
import { RequestIds } from '../http/request-ids.js';
import type { Clock } from '../lib/clock.js';
import type { ServiceLog } from '../observability/log.js';
import { Readiness } from '../observability/readiness.js';
import { createApi } from '../openapi/create-api.js';
import { basePathOf, idempotencyRetentionSecondsOf } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';
import { createHandlers } from '../pets/handlers/index.js';
import { PetCreations } from '../pets/idempotent-create.js';
import { createServer } from './create-http-server.js';
import { shutDown } from './graceful-shutdown.js';
import { Instrumentation } from './instrumentation.js';
import type { RunningCounters } from './open-rate-limits.js';
import { createApiKeyService, openStores, type Stores } from './open-stores.js';
import { Scheduler } from './scheduler.js';

/** What a service needs beside its configuration. */
export interface Dependencies {
  readonly contract: ContractSource;
  readonly clock: Clock;
  /** Told about defects and about trouble of the storage. */
  readonly report: Report;
  /** Logs requests and events, if given. */
  readonly log?: ServiceLog;
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
  readonly apiKeyService: ApiKeyService;
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

/** Puts the service together. It opens its stores, and does not listen yet. @throws StartError */
export async function createService(config: Config, dependencies: Dependencies): Promise<Service> {
  const instrumentation = await Instrumentation.create(config, dependencies);
  const stores = await openStores(config, 'server', { ...dependencies, onGroup: instrumentation.groupSizesOf('pets') });
  try {
    return await composeOver(stores, config, dependencies, instrumentation);
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function composeOver(
  stores: Stores,
  config: Config,
  dependencies: Dependencies,
  instrumentation: Instrumentation,
): Promise<Service> {
  const { contract, clock, report } = dependencies;
  const { document } = contract;
  const listener = new Listener({ ...config, settings: 'HOST and PORT' });
  const ownBaseUrl = () => `${listener.origin}${basePathOf(document)}`;
  const links = new Links(document, clock, () => config.publicBaseUrl ?? ownBaseUrl());
  const rules = document['x-rate-limit-bans'];
  const counters = await stores.counters.start({
    rules,
    clock,
    report,
    onGroup: instrumentation.groupSizesOf('limits'),
  });
  const authenticator = new Authenticator(
    instrumentation.keys(stores.keys),
    config.keyPrefix,
    clock,
    config.requestsMax,
  );
  const readiness = new Readiness(() => readEach(stores), instrumentation.onReadiness);
  const parts = { config, dependencies, stores, links, counters, authenticator, readiness, instrumentation };
  const { server, connections, metricsServer } = await composeHttp(parts);
  const scheduledTasks = new Scheduler(report);
  scheduledTasks.every(keyUseIntervalMs, () => authenticator.recordUses());
  scheduledTasks.every(tendIntervalMs, () => stores.tend());
  scheduledTasks.every(forgettingIntervalMs, () => stores.pets.forgetExpired(clock()));
  for (const { intervalMs, run } of counters.scheduledTasks) scheduledTasks.every(intervalMs, run);
  return {
    server,
    stores,
    counters,
    apiKeyService: createApiKeyService(config, stores, dependencies),
    listen: async () => {
      const metricsUrl = metricsServer && (await listenForMetrics(metricsServer, config));
      await listener.listen(server);
      const baseUrl = config.publicBaseUrl ?? ownBaseUrl();
      return { baseUrl, ownBaseUrl: ownBaseUrl(), contractUrl: links.toContract(), metricsUrl };
    },
    close: () =>
      closeInSteps({ readiness, connections, server, scheduledTasks, authenticator, counters, stores, metricsServer }),
  };
}

interface ClosingParts {
  readonly readiness: Readiness;
  readonly connections: Connections;
  readonly server: Server;
  readonly scheduledTasks: Scheduler;
  readonly authenticator: Authenticator;
  readonly counters: RunningCounters;
  readonly stores: Stores;
  readonly metricsServer: Server | undefined;
}

function closeInSteps(parts: ClosingParts): Promise<void> {
  const { readiness, connections, server, scheduledTasks, authenticator, counters, stores, metricsServer } = parts;
  // Metrics are served until the end, but not the readiness of closed stores.
  readiness.stop();
  const timeoutMs = stepTimeoutMs;
  return shutDown([
    { name: 'Answering what is in flight', timeoutMs: 7000, run: () => connections.drain(server) },
    { name: 'Ending the chores', timeoutMs, run: () => scheduledTasks.stop() },
    {
      name: 'Writing down the uses of keys',
      timeoutMs,
      run: () => scheduledTasks.run(() => authenticator.recordUses()),
    },
    { name: 'Writing the counters', timeoutMs, run: () => counters.close() },
    { name: 'Closing the stores', timeoutMs, run: () => stores.close() },
    { name: 'Closing the metrics', timeoutMs, run: () => metricsServer?.close().closeAllConnections() },
  ]);
}

interface HttpParts {
  readonly config: Config;
  readonly dependencies: Dependencies;
  readonly stores: Stores;
  readonly links: Links;
  readonly counters: RunningCounters;
  readonly authenticator: Authenticator;
  readonly readiness: Readiness;
  readonly instrumentation: Instrumentation;
}

/** The server with its connections, and the one for metrics if they are served. */
async function composeHttp(parts: HttpParts) {
  const { config, dependencies, stores, links, counters, authenticator, readiness, instrumentation } = parts;
  const { contract, clock, report } = dependencies;
  const { document, isChecked } = contract;
  const redactor = new KeyRedactor(document);
  const errors = new ErrorResponses(document, redactor, report);
  const requestIds = new RequestIds(document, redactor);
  const limiter = new RateLimiter(
    instrumentation.limits(counters.store),
    document['x-rate-limit-plans'],
    addressPlanOf(document),
  );
  const pets = instrumentation.pets(stores.pets);
  const creations = new PetCreations(pets, idempotencyRetentionSecondsOf(document) * 1000, clock);
  const handlers = createHandlers(pets, creations, links);
  const api = await createApi({ document, isChecked, handlers, errorHandlers: createErrorHandlers(clock) });
  const deprecations = new DeprecationHeaders(links);
  const concurrency = new ConcurrencyLimit(config.requestsMax);
  const router = createApiRouter({ api, authenticator, limiter, errors, deprecations, concurrency, clock });
  const { onEnd, onFault, onMetricsRequestEnd } = instrumentation;
  const common = { config, contract, api, router, readiness, errors, requestIds, limiter };
  const { server, requestListener, connections } = createServer({ ...common, onEnd, onFault });
  const metrics = instrumentation.exposeMetrics({
    requestsInFlight: () => requestListener.inFlight,
    connections: () => connections.count,
    areCountersDegraded: () => counters.isDegraded,
    counterLosses: () => counters.losses,
  });
  const resources = metrics && { ...healthChecks(readiness), ...metrics };
  const requestLimits = document['x-request-limits'];
  const metricsServer =
    resources && createMetricsServer({ resources, requestIds, errors, requestLimits, onEnd: onMetricsRequestEnd });
  return { server, connections, metricsServer };
}

/** What requests need: an animal and a key, or the knowledge that they are not there. */
async function readEach({ pets, keys }: Stores): Promise<void> {
  await Promise.all([pets.list({ limit: 1, status: undefined, afterId: 0 }), keys.find('')]);
}

async function listenForMetrics(server: Server, { metricsHost: host, metricsPort: port = 0 }: Config): Promise<string> {
  const listener = new Listener({ host, port, settings: 'METRICS_HOST and METRICS_PORT' });
  return `${await listener.listen(server)}/metrics`;
}
