import { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import type { MalformedRequestEvent } from '../http/protocol/client-errors.js';
import type { RequestContext } from '../http/request-context.js';
import { RequestLog, requestResultOf } from '../http/request-log.js';
import type { ServiceLog } from '../observability/log.js';
import type { Metrics, Readings } from '../observability/metrics.js';
import type { AsyncMethods } from '../observability/wrap-methods.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { Decision } from '../rate-limits/decide.js';
import type { RateLimitClient, RateLimitStore } from '../rate-limits/rate-limit-store.js';
import type { ServiceTelemetry, StoreLabel } from './telemetry.js';

interface InstrumentationOptions {
  readonly contract: ContractSource;
  readonly log?: ServiceLog;
}

/** Writes the log, the metrics and the traces of a service, all of which are optional. */
export class Instrumentation {
  private readonly requestLog: RequestLog | undefined;

  private constructor(
    private readonly log: ServiceLog | undefined,
    private readonly metrics: Metrics | undefined,
    private readonly telemetry: ServiceTelemetry | undefined,
    redactor: KeyRedactor,
  ) {
    this.requestLog = log && new RequestLog(log.logger, redactor);
  }

  static async create(config: Config, options: InstrumentationOptions): Promise<Instrumentation> {
    const { metricsPort, telemetry: telemetryConfig } = config;
    const { document } = options.contract;
    const redactor = new KeyRedactor(document);
    // Modules are loaded only for what is enabled, because loading them delays the start.
    const metrics =
      metricsPort === undefined && telemetryConfig?.metrics === undefined
        ? undefined
        : new (await import('../observability/metrics.js')).Metrics(document.info.version);
    let telemetry: ServiceTelemetry | undefined;
    if (telemetryConfig !== undefined) {
      const { startTelemetry } = await import('./telemetry.js');
      telemetry = await startTelemetry(telemetryConfig, config, { ...options, redactor, metrics });
    }
    return new Instrumentation(options.log, metrics, telemetry, redactor);
  }

  /** Exports what is left of traces and metrics. Never rejects. */
  async close(): Promise<void> {
    await this.telemetry?.close();
  }

  /** Wraps the request listener of the application; `undefined` if no traces are exported. */
  get wrapApp() {
    return this.telemetry?.wrapApp;
  }

  /** Records a request to the service whose response has been sent, or whose client has disconnected. */
  readonly onEnd = (context: RequestContext): void => {
    const result = requestResultOf(context);
    const { operationId = 'none', status = 'aborted', durationMs } = result;
    this.telemetry?.requests.end(context, result);
    this.requestLog?.logRequest(context, result, this.telemetry?.requests.findIds(context));
    this.metrics?.countRequest(operationId, status, durationMs / 1000);
  };

  /** Records a request to the metrics server. */
  readonly onMetricsRequestEnd = (context: RequestContext): void =>
    this.requestLog?.logRequest(context, requestResultOf(context));

  /** Records a malformed HTTP request. */
  readonly onClientError = (error: MalformedRequestEvent): void => {
    this.requestLog?.logClientError(error);
    this.metrics?.countMalformedRequest(error.code);
  };

  /** Records that the stores became unavailable, with the reason, or available again, with `undefined`. */
  readonly onReadiness = (failure: unknown): void => {
    if (failure === undefined) this.log?.logger.warn('ready again');
    else this.log?.logger.warn({ err: failure }, 'not ready');
  };

  /** Returns the function that reads the metrics; `undefined` if they are disabled. */
  exposeMetrics(readings: Omit<Readings, 'logLinesDropped'>): (() => ReturnType<Metrics['expose']>) | undefined {
    const { metrics } = this;
    if (metrics === undefined) return undefined;
    metrics.collectFrom({ ...readings, logLinesDropped: () => this.log?.output.dropped ?? 0 });
    return () => metrics.expose();
  }

  /** Observes how many writes share a transaction of a store; `undefined` if metrics are disabled. */
  batchSizeObserver(store: 'pets' | 'limits'): ((size: number) => void) | undefined {
    return this.metrics?.batchSizeObserver(store);
  }

  /** Records the time between the commit of pets and their listing. */
  readonly onListed = (seconds: number): void => this.metrics?.observeListingDelay(seconds);

  /** Measures and traces the calls of a store. Returns the store itself if both are disabled. */
  wrapStore<Store extends AsyncMethods<Store>>(label: StoreLabel, store: Store): Store {
    const measured = this.metrics?.instrumentStore(label, store) ?? store;
    return this.telemetry?.wrapStore?.(label, measured) ?? measured;
  }

  /** Measures the calls of a rate-limit store, and logs and counts bans. */
  wrapRateLimitStore(rateLimitStore: RateLimitStore): RateLimitStore {
    const timed = this.wrapStore('limits', rateLimitStore);
    return {
      consume: (client) =>
        timed.consume(client).then((decision) => {
          this.onDecision(client, decision);
          return decision;
        }),
      peek: (client) => timed.peek(client),
    };
  }

  private onDecision({ kind, id }: RateLimitClient, { rejectedBy, beginsBan, reportedWindow }: Decision): void {
    this.metrics?.countDecision(kind === 'quota' ? 'key' : 'address', rejectedBy ?? 'allowed');
    if (beginsBan !== true) return;
    this.metrics?.countBan();
    this.log?.logger.warn({ quotaId: id, bannedUntil: new Date(reportedWindow.resetAt).toISOString() }, 'ban');
  }
}
