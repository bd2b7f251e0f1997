import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import { RequestTelemetry } from '../http/request-telemetry.js';
import type { ServiceLog } from '../observability/log.js';
import type { Metrics } from '../observability/metrics.js';
import { createPrometheusProducer } from '../observability/prometheus-producer.js';
import { traceStore } from '../observability/spans.js';
import { Telemetry } from '../observability/telemetry.js';
import type { TelemetryConfig } from '../observability/telemetry-config.js';
import type { AsyncMethods } from '../observability/wrap-methods.js';
import { basePathOf } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';

export type StoreLabel = 'pets' | 'keys' | 'limits';

/** What OpenTelemetry adds to a service. */
export interface ServiceTelemetry {
  readonly requests: RequestTelemetry;
  /** Wraps the application so that requests have spans; `undefined` if no traces are exported. */
  readonly wrapApp: RequestTelemetry['wrapApp'] | undefined;
  /** Wraps a store so that its calls have spans; `undefined` if no traces are exported. */
  readonly wrapStore: (<Store extends AsyncMethods<Store>>(label: StoreLabel, store: Store) => Store) | undefined;
  /** Exports what is left, within a timeout. Never rejects. */
  close(): Promise<void>;
}

interface ServiceTelemetryOptions {
  readonly contract: ContractSource;
  readonly log?: ServiceLog;
  readonly redactor: KeyRedactor;
  readonly metrics: Metrics | undefined;
}

/** Starts OpenTelemetry. This module is loaded only if it is configured. @throws StartError */
export async function startTelemetry(
  telemetryConfig: TelemetryConfig,
  { publicBaseUrl, databaseUrl, redis }: Config,
  { contract: { document }, log, redactor, metrics }: ServiceTelemetryOptions,
): Promise<ServiceTelemetry> {
  const telemetry = await Telemetry.start(telemetryConfig, {
    version: document.info.version,
    logger: log?.logger,
    metricProducers: metrics === undefined ? [] : [createPrometheusProducer(() => metrics.readSamples())],
  });
  const requests = new RequestTelemetry(basePathOf(document), publicBaseUrl, redactor);
  const database = databaseUrl === undefined ? 'sqlite' : 'postgresql';
  /** `db.system.name` of the semantic conventions; `undefined` for the file of counters, which is no database. */
  const systems = { pets: database, keys: database, limits: redis === undefined ? undefined : 'redis' };
  const isTraced = telemetryConfig.traces !== undefined;
  return {
    requests,
    wrapApp: isTraced ? requests.wrapApp : undefined,
    wrapStore: isTraced ? (label, store) => traceStore(label, store, systems[label]) : undefined,
    close: () => telemetry.close(),
  };
}
