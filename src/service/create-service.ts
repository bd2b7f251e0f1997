import { Authenticator } from '../api-keys/authenticator.js';
import type { Config } from '../config.js';
import { AddressLimit, addressRequestsPerMinute } from '../http/address-limit.js';
import { apiKeySecurity } from '../http/security.js';
import { Readiness } from '../observability/readiness.js';
import { createApi } from '../openapi/create-api.js';
import { keyPrefixesOf } from '../openapi/document.js';
import { createApplication } from './application.js';
import { composeServer, type Dependencies } from './compose-server.js';
import { createInstrumentation } from './instrumentation.js';
import { openStores } from './open-stores.js';
import { openAll } from './resource-stack.js';
import { runEvery } from './run-every.js';

export type Service = Awaited<ReturnType<typeof createService>>;

/** How often the stores are checked, and expired keys deleted; a kill loses at most what was counted in this time. */
const taskIntervalMs = 1000;
const keyUseIntervalMs = 60_000;

/**
 * Opens the stores and creates the service. It does not listen yet. It closes in the reverse order of opening.
 *
 * @param addressLimit requests per minute without a valid API key. Default: those of the contract.
 * @throws StartError
 */
export function createService(config: Config, dependencies: Dependencies, addressLimit?: number) {
  const { contract, clock, report } = dependencies;
  const { document } = contract;
  return openAll(report, async (opened) => {
    const { metrics, wrapStore, observer, ...instrumentation } = await createInstrumentation(config, dependencies);
    const stores = await openStores(config, 'server', { contract, clock, report, observer });
    opened.addStep('Closing the stores', () => stores.close());
    const quotas = await stores.startQuotas();
    opened.addStep('Saving the quotas', () => quotas.close());
    const application = createApplication(stores, wrapStore, document, clock);
    const keys = wrapStore('keys', stores.keys);
    const tokenPrefix = keyPrefixesOf(document)[config.environment];
    const authenticator = new Authenticator(keys, tokenPrefix, clock, config.concurrentRequestsMax);
    opened.addStep('Recording the use of keys', () => authenticator.recordUses());

    const stopTasks = [
      runEvery(taskIntervalMs, () => stores.db.check(), report),
      runEvery(taskIntervalMs, () => quotas.maintain(), report),
      runEvery(taskIntervalMs, application.maintain, report),
      runEvery(keyUseIntervalMs, () => authenticator.recordUses(), report),
    ];
    opened.addStep('Stopping scheduled tasks', () => Promise.all(stopTasks.map((stop) => stop())));

    const check = () => Promise.all([application.check(), stores.keys.find('')]);
    const requestsPerMinute = addressLimit ?? addressRequestsPerMinute(document);
    const { server, connections, listen, close } = await composeServer(config, dependencies, {
      security: { apiKey: apiKeySecurity(document, 'apiKey', authenticator) },
      quotas: instrumentation.wrapQuotaStore(quotas),
      addressLimit: new AddressLimit(requestsPerMinute, instrumentation.onAddressDecision),
      readiness: new Readiness(check, instrumentation.onReadiness),
      createApi: (links, lifecycleHandlers) =>
        createApi({ document, handlers: application.createHandlers(links), lifecycleHandlers }),
      serverEvents: instrumentation.serverEvents,
      monitoring: metrics && { metrics, onEnd: instrumentation.onMetricsRequestEnd },
    });
    metrics?.collectFrom({ ...config, connections, quotas });
    // It has timeouts of its own: the grace and DRAIN_TIMEOUT_SECONDS.
    opened.add({ close });

    return {
      server,
      stores,
      quotas,
      apiKeyService: stores.apiKeyService,
      /** Starts to accept requests. @throws StartError if it cannot listen on an address. */
      listen,
      /** Shuts down gracefully: completes the requests in progress, then closes the stores. */
      close: () => opened.close(),
    };
  });
}
