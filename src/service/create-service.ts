import type { Server } from 'node:http';
import { Authenticator } from '../api-keys/authenticator.js';
import type { Config } from '../config.js';
import { AddressLimit, addressRequestsPerMinute } from '../http/address-limit.js';
import { graceMs } from '../http/connections.js';
import { createMetricsServer } from '../http/monitoring.js';
import { apiKeySecurity } from '../http/security.js';
import { listen } from '../http/server.js';
import { Readiness } from '../observability/readiness.js';
import { createApi } from '../openapi/create-api.js';
import { keyPrefixesOf, type PlanLimits } from '../openapi/document.js';
import { createApplication } from './application.js';
import { composeServer, type Dependencies } from './compose-server.js';
import { createInstrumentation } from './instrumentation.js';
import { openStores } from './open-stores.js';
import { openAll, type ResourceStack } from './resource-stack.js';
import { runEvery } from './run-every.js';

export type Service = Awaited<ReturnType<typeof createService>>;

/** How much longer than the grace and the drain timeout a shutdown of connections may take, in milliseconds. */
const drainMarginMs = 200;

/** How often the stores are checked, and expired keys deleted; a kill loses at most what was counted in this time. */
const taskIntervalMs = 1000;
const keyUseIntervalMs = 60_000;

/**
 * Opens the stores and creates the service. It does not listen yet.
 *
 * @param addressLimits the limits of requests without a valid API key. Default: those of the contract.
 * @throws StartError
 */
export function createService(config: Config, dependencies: Dependencies, addressLimits?: PlanLimits) {
  const { contract, clock, report } = dependencies;
  const { document } = contract;
  return openAll(report, async (opened) => {
    const instrumentation = await createInstrumentation(config, dependencies);
    const { metrics, wrapStore, observer, serverEvents } = instrumentation;
    const stores = await openStores(config, 'server', { contract, clock, report, observer });
    opened.addStep('Closing the stores', () => stores.close());
    const quotas = await stores.startQuotas();
    opened.addStep('Saving the quotas', () => quotas.close());

    const application = createApplication(stores, wrapStore, document, clock);
    const prefix = keyPrefixesOf(document)[config.environment];
    const keys = wrapStore('keys', stores.keys);
    const authenticator = new Authenticator(keys, prefix, clock, config.concurrentRequestsMax);
    const check = () => Promise.all([application.check(), stores.keys.find('')]);
    const readiness = new Readiness(check, instrumentation.onReadiness);
    const requestsPerMinute = addressLimits?.requestsPerMinute ?? addressRequestsPerMinute(document);
    const composed = await composeServer(config, dependencies, {
      security: { apiKey: apiKeySecurity(document, 'apiKey', authenticator) },
      readiness,
      quotas: instrumentation.wrapQuotaStore(quotas),
      addressLimit: new AddressLimit(requestsPerMinute, instrumentation.onAddressDecision),
      createApi: (links, lifecycleHandlers) =>
        createApi({ document, handlers: application.createHandlers(links), lifecycleHandlers }),
      serverEvents,
    });
    const { connections, errors, requestIds } = composed;
    metrics?.collectFrom({ connections, quotas, dataDirectory: config.dataDirectory, databaseUrl: config.databaseUrl });
    const onEnd = instrumentation.onMetricsRequestEnd;
    const metricsServer = metrics && createMetricsServer({ metrics, readiness, errors, requestIds, onEnd });
    opened.addStep('Closing the metrics server', () => metricsServer?.close().closeAllConnections());

    startTasks(opened, report, [() => stores.db.check(), () => quotas.maintain(), application.maintain]);
    const stopRecording = runEvery(keyUseIntervalMs, () => authenticator.recordUses(), report, { runsLast: true });
    opened.addStep('Recording the use of keys', stopRecording);
    const drainTimeoutMs = graceMs + config.drainTimeoutSeconds * 1000 + drainMarginMs;
    opened.addStep('Draining connections', () => composed.close(), drainTimeoutMs);

    return {
      server: composed.server,
      stores,
      quotas,
      apiKeyService: stores.apiKeyService,
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

/** Runs tasks every second until the service closes. */
function startTasks(opened: ResourceStack, report: Dependencies['report'], tasks: readonly (() => unknown)[]): void {
  const stops = tasks.map((task) => runEvery(taskIntervalMs, task, report));
  opened.addStep('Stopping scheduled tasks', () => Promise.all(stops.map((stop) => stop())));
}

async function listenForMetrics(
  server: Server,
  { metricsHost: host, metricsPort: port = 0 }: Config,
  report: Dependencies['report'],
): Promise<string> {
  return `${await listen(server, { host, port, settings: 'METRICS_HOST and METRICS_PORT', report })}/metrics`;
}
