import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { closeLater } from '../closing.js';

interface Span<Attributes> {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
}

type ExportedSpan = Span<readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]>;

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[] }[];
}

/** A collector of OpenTelemetry: an HTTP server that keeps the spans that it receives (OTLP/HTTP, JSON). */
export async function startCollector() {
  const spans: Span<Readonly<Record<string, unknown>>>[] = [];
  const receive = ({ resourceSpans }: Export) => {
    for (const span of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))) {
      const attributes = span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]);
      spans.push({ ...span, attributes: Object.fromEntries(attributes) as Record<string, unknown> });
    }
  };
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      receive(body as Export);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  closeLater(() => server.close().closeAllConnections());
  await once(server, 'listening');
  return { endpoint: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, spans };
}
