import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

type Value = string | number | boolean;
type Attributes = Readonly<Record<string, Value>>;

/** A span of OTLP, with its attributes by name. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: Attributes;
}

/** A value of a metric of OTLP; the latest one that was exported. */
export interface CollectedPoint {
  readonly attributes: Attributes;
  /** Of a sum or a gauge. */
  readonly asDouble: number;
  /** Of a histogram. */
  readonly count: number;
  readonly sum: number;
  readonly bucketCounts: readonly number[];
  readonly explicitBounds: readonly number[];
}

interface ReceivedExport {
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** With attributes as in OTLP/JSON. */
type Encoded<T> = Omit<T, 'attributes'> & {
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, Value>> }[];
};

interface TracesExport {
  readonly resourceSpans: readonly {
    readonly resource: Encoded<object>;
    readonly scopeSpans: readonly { readonly spans: readonly Encoded<CollectedSpan>[] }[];
  }[];
}

interface MetricsExport {
  readonly resourceMetrics: readonly {
    readonly resource: Encoded<object>;
    readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[];
  }[];
}

type Metric = { readonly name: string } & {
  readonly [Kind in 'histogram' | 'sum' | 'gauge']?: { readonly dataPoints: readonly Encoded<CollectedPoint>[] };
};

/** A collector of OpenTelemetry: an HTTP server that keeps what it receives (OTLP/HTTP). */
export class OtlpCollector {
  readonly received: ReceivedExport[] = [];
  /** The number of requests that have arrived. */
  requestCount = 0;
  endpoint = '';
  /** Whether its responses do not end: it sends a byte now and then. */
  isEndless = false;
  private readonly server: Server;

  private constructor(private readonly isResponding: boolean) {
    this.server = createServer((request, response) => void this.receive(request, response));
  }

  /** @param isResponding whether it sends responses. */
  static async start({ port = 0, isResponding = true } = {}): Promise<OtlpCollector> {
    const collector = new OtlpCollector(isResponding);
    collector.server.listen(port, '127.0.0.1');
    await once(collector.server, 'listening');
    collector.endpoint = `http://127.0.0.1:${String((collector.server.address() as AddressInfo).port)}`;
    return collector;
  }

  /** The spans that were received as JSON. */
  get spans(): CollectedSpan[] {
    return this.exportsTo<TracesExport>('/v1/traces')
      .flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans)
      .map((span) => ({ ...span, attributes: attributesOf(span) }));
  }

  /** The points of a metric in the last export as JSON. @throws if there are none. */
  pointsOf(name: string): readonly CollectedPoint[] {
    const points = this.exportsTo<MetricsExport>('/v1/metrics')
      .slice(-1)
      .flatMap(({ resourceMetrics }) => resourceMetrics)
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)
      .filter((metric) => metric.name === name)
      .flatMap(({ histogram, sum, gauge }) => (histogram ?? sum ?? gauge)?.dataPoints ?? []);
    if (points.length === 0) throw new Error(`No points of ${name} were exported.`);
    return points.map((point) => ({ ...point, attributes: attributesOf(point) }));
  }

  /** The attributes of the resource in each export as JSON. */
  get resources(): Attributes[] {
    const traces = this.exportsTo<TracesExport>('/v1/traces').flatMap(({ resourceSpans }) => resourceSpans);
    const metrics = this.exportsTo<MetricsExport>('/v1/metrics').flatMap(({ resourceMetrics }) => resourceMetrics);
    return [...traces, ...metrics].map(({ resource }) => attributesOf(resource));
  }

  /** Resolves when a number of requests have arrived. */
  async whenReceived(count: number): Promise<void> {
    while (this.requestCount < count) await once(this.server, 'request');
  }

  /** Resolves when at most a number of connections are open. */
  async whenConnections(countMax: number): Promise<void> {
    const count = promisify(this.server.getConnections.bind(this.server));
    while ((await count()) > countMax) await delay(20);
  }

  async close(): Promise<void> {
    this.server.close().closeAllConnections();
    await once(this.server, 'close');
  }

  private exportsTo<Export>(path: string): Export[] {
    const received = this.received.filter((each) => each.path === path);
    return received.map(({ body }) => JSON.parse(body.toString()) as Export);
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requestCount += 1;
    const body = await buffer(request);
    this.received.push({ path: request.url ?? '', contentType: request.headers['content-type'] ?? '', body });
    if (this.isEndless) {
      const timer = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(timer));
    } else if (this.isResponding) response.setHeader('Content-Type', 'application/json').end('{}');
  }
}

function attributesOf({ attributes }: Encoded<object>): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']));
}
