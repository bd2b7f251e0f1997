import { Links } from '@contract-server/core/contract/links.js';
import type { Report } from '@contract-server/core/lib/errors.js';
import { apiKeySecurity } from '../api-keys/api-key-security.js';
import { Authenticator } from '../api-keys/authenticator.js';
import type { Config } from '../config.js';
import { silentLogger } from '../log/log.js';
import type { MeasureStore } from '../observability/metrics.js';
import type { RunningQuotaStore } from '../rate-limits/quota-store.js';
import { schemeHandlersOf } from '../router/compose-api.js';
import { composeServer, type Dependencies, type ServerParts } from './compose-server.js';
import type { Application, ApplicationStores, ServiceDefinition } from './definition.js';
import { type OpenedKeys, openStores, type Stores } from './open-stores.js';
import { requireApplication } from './option-table.js';
import { openAll, type ResourceStack } from './resource-stack.js';
import { runEvery } from './run-every.js';

export type OpenService<Opened extends ApplicationStores = ApplicationStores> = Awaited<
  ReturnType<typeof openService<Opened>>
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
    const metrics = await createMetrics(definition, config, document.info.version);
    const measureStore: MeasureStore = (label, store, names) => metrics?.measureStore(label, store, names) ?? store;
    const stores = await openStores(config, 'server', { definition, contract, clock, report, metrics });
    opened.addStep('Closing the stores', () => stores.close());
    await stores.apiKeys?.service.requireLimits();
    const quotas = await stores.startQuotas();
    opened.addStep('Saving the quotas', () => quotas.close());
    const authenticator = startAuthenticator(opened, stores.apiKeys, config, dependencies, measureStore);
    const links = new Links(contract, clock, config.publicBaseUrl);
    const { logger: log = silentLogger } = dependencies.log ?? {};
    const values = { stores: stores.application, settings: config.application };
    const application = definition.create({ ...values, log, measureStore, clock, document });
    requireApplication(application);
    const { check, maintain, ...served } = application;
    startTasks(opened, { stores, quotas, authenticator, maintain }, report);
    const parts = {
      ...definedParts(definition, config, { ...dependencies, stores, check, authenticator }),
      ...{ ...served, links, metrics, skipAddressLimit },
      // The calls of a store in memory are not measured.
      quotas: config.redis === undefined ? quotas : measureStore('quotas', quotas, ['consume', 'peek']),
    };
    const { errors } = definition;
    const { server, connections, listen, close } = await composeServer(config, { ...dependencies, errors }, parts);
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

async function createMetrics(
  { name, metrics }: Pick<ServiceDefinition, 'name' | 'metrics'>,
  { metricsPort }: Config,
  version: string,
) {
  return metricsPort === undefined ? undefined : metrics?.create(name, version);
}

/** The parts of the server that the definition and the settings of a service decide. */
function definedParts<Opened extends ApplicationStores>(
  definition: ServiceDefinition<Opened>,
  config: Config,
  { contract, clock, stores, check, authenticator }: PartSources<Opened>,
): Omit<ServerParts, 'links' | 'handlers'> {
  const { reference, rejectInvalidCredentials, security } = definition;
  const ready = Object.entries(security ?? {}).map(
    ([name, handler]) =>
      [name, typeof handler === 'object' ? authenticator && apiKeySecurity(contract, authenticator) : handler] as const,
  );
  const context = { stores: stores.application, settings: config.application, clock };
  return {
    ...{ reference, rejectInvalidCredentials },
    security: schemeHandlersOf(contract, Object.fromEntries(ready), context),
    checkStores: () => Promise.all([check?.(), stores.apiKeys?.store.find('')]),
    hasStores: stores.db !== undefined,
    validateResponses: definition.validateResponses === true || config.validateResponses,
  };
}

interface PartSources<Opened extends ApplicationStores> extends Dependencies {
  readonly stores: Stores<Opened>;
  readonly check: Application['check'] | undefined;
  readonly authenticator: Authenticator | undefined;
}

/** Starts the scheduled tasks, which end before the stores close. */
function startTasks(
  opened: ResourceStack,
  { stores, quotas, authenticator, maintain }: TaskOwners,
  report: Report,
): void {
  const tasks = [
    [taskIntervalMs, () => stores.db?.check()],
    [taskIntervalMs, () => quotas.maintain()],
    [taskIntervalMs, () => maintain?.()],
    [keyUseIntervalMs, () => authenticator?.recordUses()],
  ] as const;
  const stops = tasks.map(([intervalMs, task]) => runEvery(intervalMs, task, report));
  opened.addStep('Stopping scheduled tasks', () => Promise.all(stops.map((stop) => stop())));
}

interface TaskOwners {
  readonly maintain: Application['maintain'] | undefined;
  readonly stores: Pick<Stores, 'db'>;
  readonly quotas: RunningQuotaStore;
  readonly authenticator: Authenticator | undefined;
}

function startAuthenticator(
  opened: ResourceStack,
  apiKeys: OpenedKeys,
  { concurrentRequestsMax }: Config,
  { clock }: Dependencies,
  measureStore: MeasureStore,
): Authenticator | undefined {
  if (apiKeys === undefined) return undefined;
  const store = measureStore('keys', apiKeys.store, ['findByHash', 'markUsed']);
  const authenticator = new Authenticator(store, apiKeys.tokenPrefix, clock, concurrentRequestsMax);
  opened.addStep('Recording the use of keys', () => authenticator.recordUses());
  return authenticator;
}
