import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Agent } from 'node:http';
import { context, DiagLogLevel, diag, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  type ExportResult,
  ExportResultCode,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { MeterProvider, type MetricProducer, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { StartError } from '../lib/errors.js';
import { TimeoutError, withTimeout } from '../lib/timeout.js';
import { scopeName } from './spans.js';
import type { OtlpProtocol, TelemetryConfig } from './telemetry-config.js';

/** How long the shutdown waits for the last export, in milliseconds. */
const closeTimeoutMs = 400;
/** Maximum length of the description of a failed export in the log. */
const detailMax = 200;

/** The exporters are loaded for the protocol that is used. */
const exporterModules = {
  'http/protobuf': {
    traces: () => import('@opentelemetry/exporter-trace-otlp-proto'),
    metrics: () => import('@opentelemetry/exporter-metrics-otlp-proto'),
  },
  'http/json': {
    traces: () => import('@opentelemetry/exporter-trace-otlp-http'),
    metrics: () => import('@opentelemetry/exporter-metrics-otlp-http'),
  },
};

export interface TelemetryOptions {
  /** The version of the service. */
  readonly version: string;
  readonly logger: Logger | undefined;
  /** Metrics that are exported besides those of the SDK. */
  readonly metricProducers: MetricProducer[];
}

/**
 * The OpenTelemetry SDK, which exports traces and metrics over OTLP in the background. The rest of the code uses the
 * global API (`@opentelemetry/api`).
 */
export class Telemetry {
  private readonly providers: { shutdown(): Promise<void> }[] = [];
  private readonly exportLog: ExportLog;
  private readonly resource: Resource;

  private constructor({ version, logger }: TelemetryOptions) {
    this.exportLog = new ExportLog(logger);
    this.resource = defaultResource()
      .merge(resourceFromAttributes({ 'service.name': scopeName, 'service.version': version }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
    // `ExportLog` logs failed exports.
    setGlobalErrorHandler(() => undefined);
  }

  /**
   * @throws StartError for variables for which the SDK would use a default instead, and if another SDK is registered in
   * the process.
   */
  static async start(config: TelemetryConfig, options: TelemetryOptions): Promise<Telemetry> {
    const warnings = collectWarnings();
    try {
      const telemetry = new Telemetry(options);
      if (config.traces !== undefined) await telemetry.startTraces(config.traces);
      if (config.metrics !== undefined) await telemetry.startMetrics(config.metrics, config, options);
      if (warnings.size === 0) return telemetry;
      telemetry.disable();
      throw new StartError(['Invalid configuration:', ...warnings].join('\n  '));
    } finally {
      diag.disable();
    }
  }

  /** Exports what is left, within a timeout. Never rejects. */
  async close(): Promise<void> {
    const exported = Promise.allSettled(this.providers.map((provider) => provider.shutdown()));
    await withTimeout(exported, closeTimeoutMs).catch((error: unknown) => this.exportLog.fail('shutdown', error));
    this.disable();
  }

  private disable(): void {
    unsubscribe('undici:request:create', sendTraceContext);
    for (const api of [trace, context, propagation, metrics]) api.disable();
  }

  private async startTraces(protocol: OtlpProtocol): Promise<void> {
    const { OTLPTraceExporter } = await exporterModules[protocol].traces();
    const connections = new ExporterConnections('TRACES');
    const exporter = new OTLPTraceExporter({ httpAgentOptions: connections.createAgent });
    const spanProcessor = new BatchSpanProcessor(this.exportLog.observe('traces', exporter, connections));
    const provider = new BasicTracerProvider({ resource: this.resource, spanProcessors: [spanProcessor] });
    this.providers.push(provider);
    requireRegistered(trace.setGlobalTracerProvider(provider));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    subscribe('undici:request:create', sendTraceContext);
  }

  private async startMetrics(
    protocol: OtlpProtocol,
    { metricsIntervalMs, metricsTimeoutMs }: TelemetryConfig,
    { metricProducers }: TelemetryOptions,
  ): Promise<void> {
    const { OTLPMetricExporter } = await exporterModules[protocol].metrics();
    const connections = new ExporterConnections('METRICS');
    const exporter = new OTLPMetricExporter({ httpAgentOptions: connections.createAgent });
    const reader = new PeriodicExportingMetricReader({
      exporter: this.exportLog.observe('metrics', exporter, connections),
      exportIntervalMillis: metricsIntervalMs,
      exportTimeoutMillis: metricsTimeoutMs,
      metricProducers,
    });
    const provider = new MeterProvider({ resource: this.resource, readers: [reader] });
    this.providers.push(provider);
    requireRegistered(metrics.setGlobalMeterProvider(provider));
  }
}

function requireRegistered(isRegistered: boolean): void {
  if (isRegistered) return;
  throw new StartError(
    'Another OpenTelemetry SDK is registered in this process. Remove it, or set OTEL_SDK_DISABLED=true.',
  );
}

/** Collects the warnings of the SDK, which it writes nowhere by default. */
function collectWarnings(): ReadonlySet<string> {
  const warnings = new Set<string>();
  const collect = (text: string) => void warnings.add(text);
  const ignore = () => undefined;
  const logger = { error: collect, warn: collect, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return warnings;
}

/** Sends the trace context with the requests of `fetch`. */
function sendTraceContext(message: unknown): void {
  const { request } = message as { readonly request: { addHeader(name: string, value: string): unknown } };
  propagation.inject(context.active(), request, { set: (carrier, name, value) => void carrier.addHeader(name, value) });
}

/** The connections of an exporter, which the variables of OpenTelemetry configure. */
class ExporterConnections {
  /**
   * When an export is aborted, in milliseconds. The timeout of the exporter itself starts again with each byte of the
   * response, and with a retry.
   */
  readonly timeoutMs: number;
  readonly createAgent: (protocol: string) => Promise<Agent>;
  /** How often they were closed. */
  closedCount = 0;
  private agent: Agent | undefined;

  constructor(signal: 'TRACES' | 'METRICS') {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- No other function reads the variables of the agent.
    const { agentFactory, timeoutMillis } = convertLegacyHttpOptions({}, signal, '', {});
    this.timeoutMs = 2 * timeoutMillis;
    this.createAgent = async (protocol) => (this.agent = await agentFactory(protocol));
  }

  /** Closes the connections, also those in use. Later exports open others. */
  close(): void {
    this.closedCount += 1;
    this.agent?.destroy();
  }
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** Logs the first failure of an outage, and the first export that succeeds after it. */
class ExportLog {
  private readonly failing = new Set<string>();

  constructor(private readonly logger: Logger | undefined) {}

  /** Observes the results of an exporter, and aborts exports that take too long. */
  observe<E extends Exporter<never>>(signal: string, exporter: E, connections: ExporterConnections): E {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) => {
      const { closedCount } = connections;
      const abort = () => {
        this.fail(signal, new TimeoutError('The collector did not end its response in time.'));
        connections.close();
      };
      const timer = setTimeout(abort, connections.timeoutMs).unref();
      send(items, (result) => {
        clearTimeout(timer);
        if (result.code === ExportResultCode.FAILED) this.fail(signal, result.error);
        // The exporter reports a response whose connection was closed as successful if its status is.
        else if (connections.closedCount === closedCount && this.failing.delete(signal) && this.failing.size === 0)
          this.logger?.warn('telemetry export recovered');
        done(result);
      });
    };
    return exporter;
  }

  fail(signal: string, error: unknown): void {
    // Other properties of the error can contain a long response of the collector.
    const detail = String(error).slice(0, detailMax);
    if (this.failing.size === 0) this.logger?.warn({ telemetrySignal: signal, detail }, 'telemetry export failed');
    this.failing.add(signal);
  }
}
