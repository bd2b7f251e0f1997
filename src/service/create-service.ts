import { statfsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { ApiKeyService } from '../api-keys/api-key-service.js';
import { Authenticator } from '../api-keys/authenticator.js';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import { AddressLimit, requireAddressPlan } from '../http/address-limit.js';
import type { Report } from '../http/error-responses.js';
import { createMetricsServer } from '../http/health/metrics-server.js';
import { Listener } from '../http/listener.js';
import type { Clock } from '../lib/clock.js';
import type { ServiceLog } from '../observability/log.js';
import { Readiness } from '../observability/readiness.js';
import { createApi } from '../openapi/create-api.js';
import { idempotencyRetentionSecondsOf, type PlanLimits } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';
import { createHandlers } from '../pets/handlers/index.js';
import { deleteExpiredKeys, IdempotentCreation } from '../pets/idempotent-creation.js';
import type { PetStore } from '../pets/pet-store.js';
import type { RunningQuotaStore } from '../rate-limits/quota-store.js';
import { type ComposedServer, composeServer, type ServerOptions } from './compose-server.js';
import { createInstrumentation, type Instrumentation } from './instrumentation.js';
import { createApiKeyService, openStores, type Stores } from './open-stores.js';
import { openAll, type ResourceStack } from './resource-stack.js';
import { Scheduler } from './scheduler.js';

/** The dependencies of a service besides its configuration. */
export interface Dependencies {
  readonly contract: ContractSource;
  readonly clock: Clock;
  readonly redactor: KeyRedactor;
  /** Receives internal errors and outages. */
  readonly report: Report;
  /** The limits of a client address without a valid API key, instead of those of the contract. */
  readonly addressLimits?: PlanLimits;
  /** Logs requests and events, if given. */
  readonly log?: ServiceLog;
}

export interface Addresses {
  /** The URL for clients, up to and including the path prefix. */
  readonly baseUrl: string;
  /** The URL of the listener itself, which works on this machine even behind proxies. */
  readonly ownBaseUrl: string;
  readonly contractUrl: string;
  readonly docsUrl: string;
  /** `undefined` if metrics are disabled. */
  readonly metricsUrl: string | undefined;
}

export interface Service {
  readonly server: Server;
  readonly stores: Stores;
  readonly quotas: RunningQuotaStore;
  readonly apiKeyService: ApiKeyService;
  /** Starts to accept requests. @throws StartError if it cannot listen on the address. */
  listen(): Promise<Addresses>;
  /** Shuts down gracefully: completes the requests in progress, then closes the stores. */
  close(): Promise<void>;
}

/** What the service consists of. */
interface Parts {
  readonly config: Config;
  readonly dependencies: Dependencies;
  readonly instrumentation: Instrumentation;
  readonly stores: Stores;
  readonly quotas: RunningQuotaStore;
  readonly authenticator: Authenticator;
  readonly readiness: Readiness;
  readonly composed: ComposedServer;
}

/** The timeouts of a shutdown, which add up to less than 10 s. */
const drainTimeoutMs = 7200;
const stepTimeoutMs = 500;

const storeCheckIntervalMs = 1000;
/** A kill loses at most what was counted in this time. */
const quotaIntervalMs = 1000;
const keyUseIntervalMs = 60_000;
/** Often, so that each run is short. */
const expiryIntervalMs = 1000;

/** Opens the stores and creates the service. It does not listen yet. @throws StartError */
export function createService(config: Config, dependencies: Dependencies): Promise<Service> {
  const { contract, clock, report } = dependencies;
  return openAll(report, async (opened) => {
    const instrumentation = await createInstrumentation(config, dependencies);
    const stores = await openStores(config, 'server', {
      ...dependencies,
      onBatch: instrumentation.onBatch,
      onListed: instrumentation.onListed,
    });
    opened.addStep('Closing the stores', stepTimeoutMs, () => stores.close());
    const quotas = await stores.startQuotas(contract.document['x-rate-limit-ban']);
    opened.addStep('Saving the quotas', stepTimeoutMs, () => quotas.close());

    const keys = instrumentation.wrapStore('keys', stores.keys);
    const authenticator = new Authenticator(keys, config.keyPrefix, clock, config.requestsMax);
    const readiness = new Readiness(() => readStores(stores), instrumentation.onReadiness);
    const composed = await composeServer({
      ...dependencies,
      config,
      authenticator,
      readiness,
      addressLimit: createAddressLimit(dependencies, instrumentation),
      onEnd: instrumentation.onEnd,
      onClientError: instrumentation.onClientError,
      onConnectionLimit: instrumentation.onConnectionLimit,
      quotas: instrumentation.wrapQuotaStore(quotas),
      createApi: createPetsApi(instrumentation.wrapStore('pets', stores.pets), dependencies),
    });
    const parts = { config, dependencies, instrumentation, stores, quotas, authenticator, readiness, composed };
    const metricsServer = createMonitoring(parts);
    opened.addStep('Closing the metrics server', stepTimeoutMs, () => metricsServer?.close().closeAllConnections());
    startTasks(opened, parts);
    opened.addStep('Draining connections', drainTimeoutMs, () => composed.close());

    return {
      server: composed.server,
      stores,
      quotas,
      apiKeyService: createApiKeyService(config, stores, dependencies),
      listen: async () => {
        const metricsUrl = metricsServer && (await listenForMetrics(metricsServer, config, report));
        return { ...(await composed.listen()), metricsUrl };
      },
      close: () => {
        // Load balancers send no further requests while the connections are drained.
        readiness.stop();
        return opened.close();
      },
    };
  });
}

/** The limit of requests without a valid API key. */
function createAddressLimit({ contract, addressLimits }: Dependencies, { onAddressDecision }: Instrumentation) {
  const { requestsPerMinute } = addressLimits ?? requireAddressPlan(contract.document);
  return new AddressLimit(requestsPerMinute, onAddressDecision);
}

/** openapi-backend with the handlers of pets. */
function createPetsApi(pets: PetStore, { contract, clock }: Dependencies): ServerOptions['createApi'] {
  const { document, isChecked } = contract;
  const creations = new IdempotentCreation(pets, idempotencyRetentionSecondsOf(document) * 1000, clock);
  return (links, lifecycleHandlers) =>
    createApi({ document, isChecked, handlers: createHandlers(pets, creations, links), lifecycleHandlers });
}

/** Creates the server for monitoring; `undefined` if it is disabled. */
function createMonitoring(parts: Parts): Server | undefined {
  const { config, instrumentation, quotas, readiness, composed } = parts;
  const { connections, requestIds, errors } = composed;
  const usesDisk = config.databaseUrl === undefined;
  const readMetrics = instrumentation.exposeMetrics({
    requestsInFlight: () => connections.requestsInFlight,
    connections: () => connections.count,
    areCountersDegraded: () => quotas.isDegraded,
    diskAvailableBytes: usesDisk ? () => availableBytes(config.dataDirectory) : undefined,
  });
  if (readMetrics === undefined || config.metricsPort === undefined) return undefined;
  const onEnd = instrumentation.onMetricsRequestEnd;
  return createMetricsServer({ readMetrics, readiness, requestIds, errors, onEnd });
}

/** The space that is available on the disk of a directory; 0 if the directory cannot be read, so that alerts fire. */
function availableBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Starts the scheduled tasks. They stop before the stores are closed. */
function startTasks(opened: ResourceStack, { stores, quotas, authenticator, dependencies }: Parts): void {
  const { clock, report } = dependencies;
  const scheduler = new Scheduler(report);
  scheduler.every(keyUseIntervalMs, () => authenticator.recordUses());
  scheduler.every(storeCheckIntervalMs, () => stores.check());
  scheduler.every(expiryIntervalMs, () => deleteExpiredKeys(stores.pets, clock()));
  scheduler.every(quotaIntervalMs, () => quotas.maintain());
  opened.addStep('Recording the use of keys', stepTimeoutMs, () => scheduler.run(() => authenticator.recordUses()));
  opened.addStep('Stopping scheduled tasks', stepTimeoutMs, () => scheduler.stop());
}

/** Reads what every request needs, whether or not it exists. */
async function readStores({ pets, keys }: Stores): Promise<void> {
  await Promise.all([pets.list({ limit: 1, status: undefined, afterId: 0 }), keys.find('')]);
}

async function listenForMetrics(
  server: Server,
  { metricsHost: host, metricsPort: port = 0 }: Config,
  report: Report,
): Promise<string> {
  const listener = new Listener({ host, port, settings: 'METRICS_HOST and METRICS_PORT', report });
  return `${await listener.listen(server)}/metrics`;
}
