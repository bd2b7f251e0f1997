import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { FastHistogram, type HistogramChild } from './fast-histogram.js';

/** In seconds. */
const requestBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const storeBuckets = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
/** In writes. */
const groupBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Who asks the limiter, and what it may decide. */
const decisions = { key: ['admitted', 'minute', 'day', 'ban'], address: ['admitted', 'minute'] } as const;

type Subject = keyof typeof decisions;
type Decision = (typeof decisions)[Subject][number];

/** What is read at the moment that metrics are asked for. */
export interface Readings {
  readonly requestsInFlight: () => number;
  readonly connections: () => number;
  readonly areCountersDegraded: () => boolean;
  readonly counterLosses: () => number;
  readonly logLinesDropped: () => number;
}

/** Runs a call of a store, and notes how long it took and whether it failed. */
export type StoreTimer<Operation extends string> = <T>(operation: Operation, run: () => Promise<T>) => Promise<T>;

/**
 * The metrics of the process, whatever services run in it. prom-client collects them from the first use until the
 * process ends.
 */
let processRegistry: Registry | undefined;

/** The metrics of one service, for Prometheus. Labels have few values, none of which a client chooses. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = new FastHistogram(
    {
      name: 'petstore_http_request_duration_seconds',
      help: 'From the head of a request to the end of its answer. operation none: outside the operations. status aborted: the client left before.',
      buckets: requestBuckets,
    },
    this.registry,
  );
  private readonly requestsByOperation = new Map<string, Map<number | string, HistogramChild>>();
  private readonly storeCalls = new FastHistogram(
    {
      name: 'petstore_store_operation_duration_seconds',
      help: 'Calls of a store, to their result.',
      buckets: storeBuckets,
    },
    this.registry,
  );
  private readonly groups = new FastHistogram(
    { name: 'petstore_group_commit_size', help: 'Writes that shared one transaction.', buckets: groupBuckets },
    this.registry,
  );
  private readonly storeErrors: Counter;
  private readonly decided: Readonly<Record<Subject, ReadonlyMap<string, Counter.Internal>>>;
  private readonly bans: Counter;
  private readonly clientErrors: Counter;

  /** @param version of the contract. */
  constructor(version: string) {
    this.storeErrors = this.counter('petstore_store_errors_total', 'Calls of a store that failed.', [
      'store',
      'operation',
    ]);
    const limiter = this.counter('petstore_limiter_decisions_total', 'What the limiter decided.', [
      'subject',
      'decision',
    ]);
    this.decided = { key: childrenOf(limiter, 'key'), address: childrenOf(limiter, 'address') };
    this.bans = this.counter('petstore_bans_total', 'Bans that began.');
    this.clientErrors = this.counter(
      'petstore_wire_faults_total',
      'Bytes that were no request, by the code of the answer.',
      ['code'],
    );
    const help = 'Always 1. The version is that of the contract.';
    new Gauge({ name: 'petstore_build_info', help, labelNames: ['version'], registers: [this.registry] })
      .labels(version)
      .set(1);
    processRegistry ??= collectProcessMetrics();
  }

  /** Adds what is read rather than counted here. */
  watch(readings: Readings): void {
    const { requestsInFlight, connections, areCountersDegraded, counterLosses, logLinesDropped } = readings;
    this.gauge(
      'petstore_http_requests_in_flight',
      'Requests that are being answered or wait for it.',
      requestsInFlight,
    );
    this.gauge('petstore_http_connections', 'Open connections.', connections);
    const degraded = '1 while Redis cannot be used, so that this node counts by itself; else 0.';
    this.gauge('petstore_counters_degraded', degraded, () => Number(areCountersDegraded()));
    this.total('petstore_counter_losses_total', 'Detected losses of counters in Redis.', counterLosses);
    this.total('petstore_log_lines_dropped_total', 'Log lines that nobody took in time.', logLinesDropped);
  }

  /** Counts a request whose answer has left, or its client. */
  countRequest(operation: string, status: number | 'aborted', seconds: number): void {
    let byStatus = this.requestsByOperation.get(operation);
    if (byStatus === undefined)
      this.requestsByOperation.set(operation, (byStatus = new Map<number | string, HistogramChild>()));
    let child = byStatus.get(status);
    if (child === undefined) byStatus.set(status, (child = this.requests.child({ operation, status: String(status) })));
    child.observe(seconds);
  }

  countDecision(client: Subject, decision: Decision): void {
    this.decided[client].get(decision)?.inc();
  }

  countBan(): void {
    this.bans.inc();
  }

  countWireFault(code: string): void {
    this.clientErrors.inc({ code });
  }

  /** To be told how many writes share each transaction of a store. */
  groupSizesOf(store: string): (size: number) => void {
    const child = this.groups.child({ store });
    return (size) => child.observe(size);
  }

  /** To run the calls of a store with. */
  timerOf<Operation extends string>(store: string): StoreTimer<Operation> {
    const children = new Map<string, HistogramChild>();
    const childOf = (operation: Operation): HistogramChild => {
      const present = children.get(operation);
      if (present !== undefined) return present;
      const added = this.storeCalls.child({ store, operation });
      children.set(operation, added);
      return added;
    };
    return (operation, run) => {
      const child = childOf(operation);
      const startedAt = performance.now();
      const observe = () => child.observe((performance.now() - startedAt) / 1000);
      return run().then(
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

  /** What a Prometheus server reads, and its media type. */
  async expose(): Promise<{ readonly mediaType: string; readonly text: string }> {
    const texts = [await this.registry.metrics(), await processRegistry?.metrics()];
    return { mediaType: this.registry.contentType, text: texts.join('\n') };
  }

  private counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** A counter that is read when metrics are collected. */
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

/** Each with its zero, so that the first refusal shows as a rise. */
function childrenOf(limiter: Counter, client: Subject): ReadonlyMap<string, Counter.Internal> {
  return new Map(
    decisions[client].map((decision) => {
      const child = limiter.labels(client, decision);
      child.inc(0);
      return [decision, child];
    }),
  );
}

function collectProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}
