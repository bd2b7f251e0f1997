import { statfsSync } from 'node:fs';
import type { Server } from 'node:http';
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
import type { RunningQuotaStore } from '../rate-limits/quota-store.js';
import { type ComposedServer, composeServer } from './compose-server.js';
import { createInstrumentation, type Instrumentation } from './instrumentation.js';
import { createApiKeyService, keyPrefixOf, openStores, type Stores } from './open-stores.js';
import { openAll } from './resource-stack.js';
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

export type Service = Awaited<ReturnType<typeof createService>>;

/** The timeouts of a shutdown, which add up to less than 10 s. */
const drainTimeoutMs = 7200;
const stepTimeoutMs = 500;

/** How often the stores are checked, and expired keys deleted; a kill loses at most what was counted in this time. */
const taskIntervalMs = 1000;
const keyUseIntervalMs = 60_000;

/** Opens the stores and creates the service. It does not listen yet. @throws StartError */
export function createService(config: Config, dependencies: Dependencies) {
  const { clock, report } = dependencies;
  const { document, isChecked } = dependencies.contract;
  return openAll(report, async (opened) => {
    const instrumentation = await createInstrumentation(config, dependencies);
    const stores = await openStores(config, 'server', { clock, report, ...instrumentation });
    opened.addStep('Closing the stores', stepTimeoutMs, () => stores.close());
    const quotas = await stores.startQuotas(document['x-rate-limit-ban']);
    opened.addStep('Saving the quotas', stepTimeoutMs, () => quotas.close());

    const pets = instrumentation.wrapStore('pets', stores.pets);
    const creations = new IdempotentCreation(pets, idempotencyRetentionSecondsOf(document) * 1000, clock);
    const keys = instrumentation.wrapStore('keys', stores.keys);
    const authenticator = new Authenticator(keys, keyPrefixOf(config, document), clock, config.requestsMax);
    const readiness = new Readiness(() => readStores(stores), instrumentation.onReadiness);
    const composed = await composeServer({
      ...dependencies,
      ...instrumentation,
      config,
      authenticator,
      readiness,
      quotas: instrumentation.wrapQuotaStore(quotas),
      addressLimit: createAddressLimit(dependencies, instrumentation),
      createApi: (links, lifecycleHandlers) =>
        createApi({ document, isChecked, handlers: createHandlers(pets, creations, links), lifecycleHandlers }),
    });
    const metricsServer = createMonitoring(config, { instrumentation, quotas, readiness, composed });
    opened.addStep('Closing the metrics server', stepTimeoutMs, () => metricsServer?.close().closeAllConnections());

    const scheduler = new Scheduler(report);
    scheduler.every(keyUseIntervalMs, () => authenticator.recordUses());
    for (const task of [() => stores.check(), () => quotas.maintain(), () => deleteExpiredKeys(stores.pets, clock())])
      scheduler.every(taskIntervalMs, task);
    opened.addStep('Recording the use of keys', stepTimeoutMs, () => scheduler.run(() => authenticator.recordUses()));
    opened.addStep('Stopping scheduled tasks', stepTimeoutMs, () => scheduler.stop());
    opened.addStep('Draining connections', drainTimeoutMs, () => {
      // Load balancers send no further requests while the connections are drained.
      readiness.stop();
      return composed.close();
    });

    return {
      server: composed.server,
      stores,
      quotas,
      apiKeyService: createApiKeyService(config, stores, dependencies),
      /** Starts to accept requests. @throws StartError if it cannot listen on the address. */
      listen: async () => {
        const metricsUrl = metricsServer && (await listenForMetrics(metricsServer, config, report));
        return { ...(await composed.listen()), metricsUrl };
      },
      /** Shuts down gracefully: completes the requests in progress, then closes the stores. */
      close: () => opened.close(),
    };
  });
}

/** The limit of requests without a valid API key. */
function createAddressLimit({ contract, addressLimits }: Dependencies, { onAddressDecision }: Instrumentation) {
  const { requestsPerMinute } = addressLimits ?? requireAddressPlan(contract.document);
  return new AddressLimit(requestsPerMinute, onAddressDecision);
}

interface Monitored {
  readonly instrumentation: Instrumentation;
  readonly quotas: RunningQuotaStore;
  readonly readiness: Readiness;
  readonly composed: ComposedServer;
}

/** Creates the server for monitoring; `undefined` if it is disabled. */
function createMonitoring(
  { databaseUrl, dataDirectory }: Config,
  { instrumentation: { metrics, onMetricsRequestEnd }, quotas, readiness, composed }: Monitored,
): Server | undefined {
  if (metrics === undefined) return undefined;
  const { connections, requestIds, errors } = composed;
  metrics.collectFrom({
    requestsInFlight: () => connections.requestsInFlight,
    connections: () => connections.count,
    areCountersDegraded: () => quotas.isDegraded,
    diskAvailableBytes: databaseUrl === undefined ? () => availableBytes(dataDirectory) : undefined,
  });
  const readMetrics = () => metrics.expose();
  return createMetricsServer({ readMetrics, readiness, requestIds, errors, onEnd: onMetricsRequestEnd });
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

/** Reads what every request needs, whether or not it exists. */
async function readStores({ pets, keys }: Stores): Promise<void> {
  await Promise.all([pets.list({ limit: 1, status: undefined, afterId: 0 }), keys.find('')]);
}

async function listenForMetrics(server: Server, { metricsHost: host, metricsPort: port = 0 }: Config, report: Report) {
  const listener = new Listener({ host, port, settings: 'METRICS_HOST and METRICS_PORT', report });
  return `${await listener.listen(server)}/metrics`;
}
