import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { FastHistogram, type HistogramChild } from './fast-histogram.js';
import { type AsyncMethod, type AsyncMethods, wrapMethods } from './wrap-methods.js';

/** Bucket bounds in seconds. */
const requestBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const storeBuckets = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
/** Bucket bounds in writes or decisions per batch. */
const batchSizeBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** The possible decisions by kind of client: allowed, or the limit that rejected the request. */
const decisions = { key: ['allowed', 'minute', 'day', 'ban'], address: ['allowed', 'minute'] } as const;

type ClientKind = keyof typeof decisions;
type DecisionLabel = (typeof decisions)[ClientKind][number];

/** Values that are read when metrics are collected. */
export interface Readings {
  readonly requestsInFlight: () => number;
  readonly connections: () => number;
  readonly areCountersDegraded: () => boolean;
  readonly counterLosses: () => number;
  readonly logLinesDropped: () => number;
  /** `undefined` if the service has no data directory. */
  readonly diskAvailableBytes: (() => number) | undefined;
}

/** The metrics of the process, shared by its services: prom-client collects them until the process ends. */
let processRegistry: Registry | undefined;

/** The Prometheus metrics of one service. Clients do not determine label values, so there are few time series. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = this.histogram(
    'petstore_http_request_duration_seconds',
    'Duration of requests. operation "none": no operation of the contract; status "aborted": the client disconnected.',
    requestBuckets,
  );
  private readonly requestsByOperation = new Map<string, Map<number | string, HistogramChild>>();
  private readonly storeCalls = this.histogram(
    'petstore_store_operation_duration_seconds',
    'Duration of store calls.',
    storeBuckets,
  );
  private readonly batchSizes = this.histogram(
    'petstore_group_commit_size',
    'Number of writes, or of rate-limit decisions, per batch.',
    batchSizeBuckets,
  );
  private readonly listingDelay = this.histogram(
    'petstore_listing_delay_seconds',
    'Time between the commit of pets and their listing; at most 1, the time for which a response is delayed.',
    storeBuckets,
  ).child({});
  private readonly storeErrors = this.counter('petstore_store_errors_total', 'Failed store calls.', [
    'store',
    'operation',
  ]);
  private readonly decided = childrenOf(
    this.counter('petstore_rate_limit_decisions_total', 'Rate-limit decisions by kind of client.', [
      'client',
      'decision',
    ]),
  );
  private readonly bans = this.counter('petstore_bans_total', 'Bans of API keys.');
  private readonly malformedRequests = this.counter(
    'petstore_malformed_requests_total',
    'Malformed HTTP requests, by error code.',
    ['code'],
  );

  /** @param version of the contract. */
  constructor(version: string) {
    const help = 'Always 1; the label is the version of the contract.';
    new Gauge({ name: 'petstore_build_info', help, labelNames: ['version'], registers: [this.registry] })
      .labels(version)
      .set(1);
    processRegistry ??= collectProcessMetrics();
  }

  /** Adds metrics whose values are read when they are collected. */
  collectFrom(readings: Readings): void {
    const { areCountersDegraded, counterLosses, logLinesDropped, diskAvailableBytes } = readings;
    this.gauge('petstore_http_requests_in_flight', 'Requests in progress or waiting.', readings.requestsInFlight);
    this.gauge('petstore_http_connections', 'Open connections.', readings.connections);
    const degraded = '1 while Redis is unavailable and this node counts requests on its own, otherwise 0.';
    this.gauge('petstore_counters_degraded', degraded, () => Number(areCountersDegraded()));
    this.total('petstore_counter_losses_total', 'Detected losses of rate-limit counters in Redis.', counterLosses);
    this.total(
      'petstore_log_lines_dropped_total',
      'Log lines dropped because they were not read in time.',
      logLinesDropped,
    );
    if (diskAvailableBytes !== undefined)
      this.gauge('petstore_disk_available_bytes', 'Free space on the disk of DATA_DIR.', diskAvailableBytes);
  }

  countRequest(operation: string, status: number | 'aborted', seconds: number): void {
    let byStatus = this.requestsByOperation.get(operation);
    if (byStatus === undefined)
      this.requestsByOperation.set(operation, (byStatus = new Map<number | string, HistogramChild>()));
    let child = byStatus.get(status);
    if (child === undefined) byStatus.set(status, (child = this.requests.child({ operation, status: String(status) })));
    child.observe(seconds);
  }

  countDecision(client: ClientKind, decision: DecisionLabel): void {
    this.decided[client].get(decision)?.inc();
  }

  countBan(): void {
    this.bans.inc();
  }

  countMalformedRequest(code: string): void {
    this.malformedRequests.inc({ code });
  }

  /** Returns the observer of the batch sizes of a store. */
  batchSizeObserver(store: string): (size: number) => void {
    const child = this.batchSizes.child({ store });
    return (size) => child.observe(size);
  }

  observeListingDelay(seconds: number): void {
    this.listingDelay.observe(seconds);
  }

  /** Returns a store whose methods call those of `store`, and record the duration and the result of each call. */
  instrumentStore<Store extends AsyncMethods<Store>>(label: string, store: Store): Store {
    return wrapMethods(store, (operation, method) => this.timed(label, operation, method));
  }

  private timed(store: string, operation: string, method: AsyncMethod): AsyncMethod {
    let child: HistogramChild | undefined;
    return (...args) => {
      const calls = (child ??= this.storeCalls.child({ store, operation }));
      const startedAt = performance.now();
      const observe = () => calls.observe((performance.now() - startedAt) / 1000);
      return method(...args).then(
        (result) => {
          observe();
          return result;
        },
        (error: unknown) => {
          observe();
          this.storeErrors.inc({ store, operation });
          throw error;
        },
      );
    };
  }

  /** Renders all metrics in the text format of Prometheus. */
  async expose(): Promise<{ readonly mediaType: string; readonly text: string }> {
    const texts = [await this.registry.metrics(), await processRegistry?.metrics()];
    return { mediaType: this.registry.contentType, text: texts.join('\n') };
  }

  /** All metrics with their values, for other formats. */
  async readSamples(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    const samples = [await this.registry.getMetricsAsJSON(), (await processRegistry?.getMetricsAsJSON()) ?? []];
    return samples.flat();
  }

  private histogram(name: string, help: string, buckets: readonly number[]): FastHistogram {
    return new FastHistogram({ name, help, buckets }, this.registry);
  }

  private counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** Adds a counter whose value is read when metrics are collected. */
  private total(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  private gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}

/** The counter of each decision. Every time series starts at 0, so that the first rejection is visible as an increase. */
function childrenOf(limiter: Counter): Readonly<Record<ClientKind, ReadonlyMap<string, Counter.Internal>>> {
  const start = (client: ClientKind, decision: string): [string, Counter.Internal] => {
    const child = limiter.labels(client, decision);
    child.inc(0);
    return [decision, child];
  };
  return {
    key: new Map(decisions.key.map((decision) => start('key', decision))),
    address: new Map(decisions.address.map((decision) => start('address', decision))),
  };
}

function collectProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}
