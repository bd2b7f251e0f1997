import { Authenticator } from '../api-keys/authenticator.js';
import type { Config } from '../config.js';
import { apiKeySecurity } from '../http/security.js';
import { ApiError, type Report } from '../lib/errors.js';
import type { MeasureStore, Metrics } from '../observability/metrics.js';
import { type ContractDocument, keyPrefixesOf } from '../openapi/document.js';
import { Links } from '../openapi/links.js';
import { composeServer, type Dependencies } from './compose-server.js';
import type { ApplicationStores, ServiceDefinition } from './definition.js';
import { openStores } from './open-stores.js';
import { openAll } from './resource-stack.js';

export type OpenService<Application extends ApplicationStores = ApplicationStores> = Awaited<
  ReturnType<typeof openService<Application>>
>;

/**
 * How often the stores are checked, quotas are saved, and the application is maintained; a kill loses at most what was
 * counted in this time.
 */
const taskIntervalMs = 1000;
const keyUseIntervalMs = 60_000;

/**
 * Opens the stores of a service and creates its server. It does not listen yet, and closes in the reverse order of
 * opening.
 *
 * @param skipAddressLimit whether requests without a valid API key are not limited.
 * @throws StartError
 */
export function openService<Stores extends ApplicationStores>(
  definition: ServiceDefinition<Stores>,
  config: Config,
  dependencies: Dependencies,
  skipAddressLimit = false,
) {
  const { contract, clock, report } = dependencies;
  const { document } = contract;
  return openAll(report, async (opened) => {
    const metrics = config.metricsPort === undefined ? undefined : await createMetrics(definition.name, document);
    const measureStore: MeasureStore = (label, store, names) => metrics?.measureStore(label, store, names) ?? store;
    const stores = await openStores(config, 'server', { definition, contract, clock, report, metrics });
    opened.addStep('Closing the stores', () => stores.close());
    await stores.apiKeyService.requireLimits();
    const quotas = await stores.startQuotas();
    opened.addStep('Saving the quotas', () => quotas.close());
    const keys = measureStore('keys', stores.keys, ['findByHash', 'markUsed']);
    const tokenPrefix = keyPrefixesOf(document)[config.environment] as string;
    const authenticator = new Authenticator(keys, tokenPrefix, clock, config.concurrentRequestsMax);
    opened.addStep('Recording the use of keys', () => authenticator.recordUses());
    const links = new Links(document, clock, config.publicBaseUrl);
    const application = definition.create({ stores: stores.application, measureStore, clock, document });
    const { handlers, check, maintain } = application;

    const stopTasks = [
      runEvery(taskIntervalMs, () => stores.db.check(), report),
      runEvery(taskIntervalMs, () => quotas.maintain(), report),
      ...(maintain === undefined ? [] : [runEvery(taskIntervalMs, maintain, report)]),
      runEvery(keyUseIntervalMs, () => authenticator.recordUses(), report),
    ];
    opened.addStep('Stopping scheduled tasks', () => Promise.all(stopTasks.map((stop) => stop())));

    const { server, connections, listen, close } = await composeServer(config, dependencies, {
      security: { apiKey: apiKeySecurity(document, 'apiKey', authenticator) },
      // The calls of a store in memory are not measured.
      quotas: config.redis === undefined ? quotas : measureStore('quotas', quotas, ['consume', 'peek']),
      skipAddressLimit,
      checkStores: () => Promise.all([check?.(), stores.keys.find('')]),
      links,
      handlers,
      metrics,
    });
    metrics?.collectFrom(connections, quotas, config);
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

/** Loads the metrics on demand, because loading them delays the start. */
async function createMetrics(name: string, { info }: ContractDocument): Promise<Metrics> {
  const { Metrics } = await import('../observability/metrics.js');
  return new Metrics(name, info.version);
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
