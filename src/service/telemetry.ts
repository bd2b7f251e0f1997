import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import { RequestSpans } from '../http/request-spans.js';
import type { ServiceLog } from '../observability/log.js';
import type { Metrics } from '../observability/metrics.js';
import { prometheusProducer } from '../observability/prometheus-producer.js';
import { traceStore } from '../observability/spans.js';
import { Telemetry } from '../observability/telemetry.js';
import type { TelemetryConfig } from '../observability/telemetry-config.js';
import type { AsyncMethods } from '../observability/wrap-methods.js';
import { basePathOf } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';

export type StoreLabel = 'pets' | 'keys' | 'limits';

export type ServiceTelemetry = Awaited<ReturnType<typeof startTelemetry>>;

/** Starts what OpenTelemetry adds to a service. This module is loaded only if it is configured. */
export async function startTelemetry(
  telemetryConfig: TelemetryConfig,
  { publicBaseUrl, databaseUrl, redis }: Config,
  { contract: { document }, log }: { readonly contract: ContractSource; readonly log?: ServiceLog },
  redactor: KeyRedactor,
  metrics: Metrics | undefined,
) {
  const telemetry = await Telemetry.start(telemetryConfig, {
    version: document.info.version,
    logger: log?.logger,
    metricProducers: metrics === undefined ? [] : [prometheusProducer(() => metrics.samples())],
  });
  const database = databaseUrl === undefined ? 'sqlite' : 'postgresql';
  /** `db.system.name` of the semantic conventions. */
  const systems = { pets: database, keys: database, limits: redis === undefined ? 'sqlite' : 'redis' };
  return {
    requestSpans: new RequestSpans(basePathOf(document), publicBaseUrl, redactor),
    wrapStore: <Store extends AsyncMethods<Store>>(label: StoreLabel, store: Store): Store =>
      traceStore(label, store, systems[label]),
    close: () => telemetry.close(),
  };
}
