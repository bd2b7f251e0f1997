import { statfsSync } from 'node:fs';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Bucket bounds in seconds. */
const requestBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const storeBuckets = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
/** Bucket bounds in creations per transaction. */
const batchSizeBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** Other methods are `other`, so that clients do not determine the number of time series. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The possible decisions by kind of client: allowed, or the limit that rejected the request. */
const decisionsByClient = { key: ['allowed', 'minute', 'day', 'ban'], address: ['allowed', 'minute'] } as const;

/** Where the embedded database is, which is used without a URL. */
interface DataPlace {
  readonly dataDirectory: string | undefined;
  readonly databaseUrl: string | undefined;
}

type AsyncMethod = (...args: never[]) => Promise<unknown>;

/** Returns these methods of a store. Each call is measured under the label and the name of the method. */
export type MeasureStore = <Name extends string, Store extends Record<Name, AsyncMethod>>(
  label: string,
  store: Store,
  names: readonly Name[],
) => Pick<Store, Name>;

/**
 * What the rest of the server calls. The declarations of the package mention no types of prom-client, which
 * applications without metrics do not install.
 */
interface Observed {
  observe(value: number): void;
}
interface Counted {
  inc(labels: Readonly<Record<string, string>>): void;
}

/** The Prometheus metrics of one service. Clients do not determine label values, so there are few time series. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests: Histogram;
  private readonly storeCalls: Histogram;
  readonly batchSizes: Observed;
  readonly listingDelay: Observed;
  private readonly storeErrors: Counter;
  readonly decisions: Counted;
  readonly bans: { inc(): void };
  readonly malformedRequests: Counted;

  /**
   * @param serviceName the prefix of the metrics.
   * @param version of the contract.
   */
  constructor(
    private readonly serviceName: string,
    version: string,
  ) {
    this.requests = this.histogram(
      'http_request_duration_seconds',
      'Duration of requests. operation: of the contract, or documents, health or unknown; status "aborted": the client ' +
        'disconnected.',
      requestBuckets,
      ['operation', 'method', 'status'],
    );
    this.storeCalls = this.histogram('store_operation_duration_seconds', 'Duration of store calls.', storeBuckets, [
      'store',
      'operation',
    ]);
    this.batchSizes = this.histogram('group_commit_size', 'Number of creations per transaction.', batchSizeBuckets);
    this.listingDelay = this.histogram(
      'listing_delay_seconds',
      'Time between a commit and the listing of its rows; at most 1, the time for which a response is delayed.',
      storeBuckets,
    );
    this.storeErrors = this.counter('store_errors_total', 'Failed store calls.', ['store', 'operation']);
    const decisions = this.counter('rate_limit_decisions_total', 'Rate-limit decisions by kind of client.', [
      'client',
      'decision',
    ]);
    this.decisions = decisions;
    this.bans = this.counter('bans_total', 'Bans of API keys.');
    this.malformedRequests = this.counter(
      'malformed_requests_total',
      'Requests that were rejected as malformed HTTP or arrived too slowly, by error code.',
      ['code'],
    );
    collectDefaultMetrics({ register: this.registry });
    const help = 'Always 1; the label is the version of the contract.';
    new Gauge({ name: this.nameOf('build_info'), help, labelNames: ['version'], registers: [this.registry] })
      .labels(version)
      .set(1);
    // These time series start at 0, so that the first rejection is visible as an increase.
    for (const [client, values] of Object.entries(decisionsByClient))
      for (const decision of values) decisions.inc({ client, decision }, 0);
  }

  /** Adds metrics whose values are read when they are collected. */
  collectFrom(
    connections: { readonly count: number; readonly requestsInFlight: number },
    quotas: { readonly isDegraded: boolean },
    { dataDirectory, databaseUrl }: DataPlace,
  ): void {
    this.gauge('http_requests_in_flight', 'Requests in progress.', () => connections.requestsInFlight);
    this.gauge('http_connections', 'Open connections.', () => connections.count);
    const degraded = '1 while Redis is unavailable and this node counts requests on its own, otherwise 0.';
    this.gauge('quotas_degraded', degraded, () => Number(quotas.isDegraded));
    const free = 'Free space on the disk of DATA_DIR.';
    if (databaseUrl === undefined && dataDirectory !== undefined)
      this.gauge('disk_available_bytes', free, () => availableBytes(dataDirectory));
  }

  /** @param operation the id of an operation of the contract, or the kind of another path. */
  countRequest(operation: string, method: string, status: number | 'aborted', seconds: number): void {
    this.requests.observe({ operation, method: knownMethods.has(method) ? method : 'other', status }, seconds);
  }

  /** Records the duration and the result of each call. */
  readonly measureStore: MeasureStore = (label, store, names) => {
    const measured = names.map((name) => [name, this.timed(label, name, store[name].bind(store))]);
    return Object.fromEntries(measured) as Pick<typeof store, (typeof names)[number]>;
  };

  /** Returns the metrics in the text format of Prometheus, with those of the process. */
  async expose(): Promise<{ readonly mediaType: string; readonly text: string }> {
    return { mediaType: this.registry.contentType, text: await this.registry.metrics() };
  }

  private timed(store: string, operation: string, method: AsyncMethod): AsyncMethod {
    const labels = { store, operation };
    return async (...args) => {
      const startedAt = performance.now();
      try {
        return await method(...args);
      } catch (error) {
        this.storeErrors.inc(labels);
        throw error;
      } finally {
        this.storeCalls.observe(labels, (performance.now() - startedAt) / 1000);
      }
    };
  }

  /** Metrics are named after the service. Their names contain no hyphen. */
  private nameOf(name: string): string {
    return `${this.serviceName.replaceAll('-', '_')}_${name}`;
  }

  private histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram {
    return new Histogram({ name: this.nameOf(name), help, buckets, labelNames, registers: [this.registry] });
  }

  private counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: this.nameOf(name), help, labelNames, registers: [this.registry] });
  }

  private gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: this.nameOf(name),
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}

/** The space that is available on the disk of a directory; 0 if the directory cannot be read, so that alerts fire. */
function availableBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
