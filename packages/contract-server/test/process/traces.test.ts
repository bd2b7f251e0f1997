import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '@contract-server/test-support/servers/listen.js';
import { startWithKey } from '@contract-server/test-support/servers/toys-process.js';
import { expect } from 'chai';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentSpanId = 'b7ad6b7169203331';
/** OTLP's number of the kind of span. */
const server = 2;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

/** A collector of OpenTelemetry, which keeps the spans that it receives (OTLP/HTTP, JSON). */
async function startCollector() {
  const spans: Span[] = [];
  const collector = createServer((request, response) => {
    void json(request).then((body) => {
      const { resourceSpans } = body as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  return { endpoint: `http://127.0.0.1:${String(await listen(collector))}`, spans };
}

const attributesOf = ({ attributes }: Span): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]));

describe('the zero-code start of OpenTelemetry', () => {
  it('exports a span of each request, named by its operation and route, in the trace of the client', async () => {
    const collector = await startCollector();
    const { server: service, token } = await startWithKey({
      NODE_OPTIONS: `--import ${import.meta.resolve('@opentelemetry/auto-instrumentations-node/register')}`,
      OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'http',
      OTEL_NODE_RESOURCE_DETECTORS: 'env',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    const authorization = `Bearer ${token}`;
    const headers = { authorization, traceparent: `00-${traceId}-${parentSpanId}-01` };
    const body = '{"name":"Block","weight":7}';
    const requests: [path: string, init: RequestInit][] = [
      ['/v1/toys', { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }],
      ['/v1/toys/1', { headers: { authorization } }],
      ['/v1/toys/1', {}],
      ['/v1/unknown', { headers }],
    ];
    for (const [path, init] of requests) await (await fetch(new URL(path, service.baseUrl), init)).text();
    await service.stop();

    const spans = collector.spans.filter(({ kind }) => kind === server);
    const shown = spans.map((span) => {
      const attributes = attributesOf(span);
      const status = attributes['http.response.status_code'] ?? attributes['http.status_code'];
      return [span.name, attributes['http.route'], attributes['openapi.operation_id'], status];
    });
    expect(shown).to.deep.equal([
      ['POST /v1/toys', '/v1/toys', 'createToy', 201],
      ['GET /v1/toys/{toyId}', '/v1/toys/{toyId}', 'getToy', 200],
      ['GET /v1/toys/{toyId}', '/v1/toys/{toyId}', 'getToy', 401],
      ['GET', undefined, undefined, 404],
    ]);
    const [created, read] = spans;
    expect(created).to.include({ traceId, parentSpanId });
    const lines = service.lines.filter(({ msg }) => msg === 'request');
    expect(lines[0]).to.include({ traceId, spanId: created?.spanId });
    expect(lines[1]).to.include({ traceId: read?.traceId, spanId: read?.spanId });
  });
});
