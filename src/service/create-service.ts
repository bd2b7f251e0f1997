import { Authenticator } from '../api-keys/authenticator.js';
import type { Config } from '../config.js';
import { apiKeySecurity } from '../http/security.js';
import { ApiError, type Report } from '../lib/errors.js';
import type { MeasureStore } from '../observability/metrics.js';
import { keyPrefixesOf } from '../openapi/document.js';
import { createApplication } from './application.js';
import { composeServer, type Dependencies } from './compose-server.js';
import { openStores } from './open-stores.js';
import { openAll } from './resource-stack.js';

export type Service = Awaited<ReturnType<typeof createService>>;

/** How often the stores are checked, and expired keys deleted; a kill loses at most what was counted in this time. */
const taskIntervalMs = 1000;
const keyUseIntervalMs = 60_000;

/**
 * Opens the stores and creates the service. It does not listen yet. It closes in the reverse order of opening.
 *
 * @param skipAddressLimit whether requests without a valid API key are not limited.
 * @throws StartError
 */
export function createService(config: Config, dependencies: Dependencies, skipAddressLimit = false) {
  const { contract, clock, report } = dependencies;
  const { document } = contract;
  return openAll(report, async (opened) => {
    // Loaded only if they are enabled, because loading them delays the start.
    const metrics =
      config.metricsPort === undefined
        ? undefined
        : new (await import('../observability/metrics.js')).Metrics(document.info.version);
    const measureStore: MeasureStore = (label, store, names) => metrics?.measureStore(label, store, names) ?? store;
    const stores = await openStores(config, 'server', { contract, clock, report, metrics });
    opened.addStep('Closing the stores', () => stores.close());
    await stores.apiKeyService.requireLimits();
    const quotas = await stores.startQuotas();
    opened.addStep('Saving the quotas', () => quotas.close());
    const application = createApplication(stores, measureStore, document, clock);
    const keys = measureStore('keys', stores.keys, ['findByHash', 'markUsed']);
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

    const { server, connections, listen, close } = await composeServer(config, dependencies, {
      security: { apiKey: apiKeySecurity(document, 'apiKey', authenticator) },
      // The calls of a store in memory are not measured.
      quotas: config.redis === undefined ? quotas : measureStore('quotas', quotas, ['consume', 'peek']),
      skipAddressLimit,
      checkStores: () => Promise.all([application.check(), stores.keys.find('')]),
      createHandlers: application.createHandlers,
      metrics,
    });
    metrics?.collectFrom({ ...config, connections, quotas });
    // It has timeouts of its own: the grace and DRAIN_TIMEOUT_SECONDS.
    opened.add({ close });

    return {
      server,
      stores,
      quotas,
      /** Starts to accept requests. @throws StartError if it cannot listen on an address. */
      listen,
      /** Shuts down gracefully: completes the requests in progress, then closes the stores. */
      close: () => opened.close(),
    };
  });
}

/**
 * Runs a task at intervals, and reports its errors, except for an outage, which the stores report themselves. An
 * interval is skipped while the previous run is still in progress, as on a slow disk.
 *
 * @returns a function that stops it. It resolves when the run in progress has ended.
 */
export function runEvery(intervalMs: number, task: () => unknown, report: Report) {
  let running: Promise<unknown> | undefined;
  const handle = (error: unknown) => {
    if (!(error instanceof ApiError)) report(error);
  };
  const run = () => Promise.resolve().then(task).catch(handle);
  const timer = setInterval(() => {
    running ??= run().finally(() => (running = undefined));
  }, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
