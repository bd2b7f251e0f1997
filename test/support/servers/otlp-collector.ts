import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface TracesExport {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes'> & { readonly attributes: Attributes })[];
    }[];
  }[];
}

/** A collector of OpenTelemetry: an HTTP server that keeps the spans that it receives (OTLP/HTTP, JSON). */
export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { resourceSpans } = body as TracesExport;
      for (const { attributes, ...span } of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans[0]?.spans ?? [])) {
        const values = attributes.map(({ key, value }) => [key, Object.values(value)[0]]);
        spans.push({ ...span, attributes: Object.fromEntries(values) as CollectedSpan['attributes'] });
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { endpoint, spans, close: () => server.close().closeAllConnections() };
}
