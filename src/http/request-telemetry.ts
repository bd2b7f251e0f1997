import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Attributes,
  context,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Request } from 'express';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import { scopeName, unixMs } from '../observability/spans.js';
import { type RequestContext, requireContext } from './request-context.js';
import type { RequestResult } from './request-log.js';

/** Bucket bounds in seconds, as the semantic conventions recommend them. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Other methods are `_OTHER`, so that clients do not determine the number of time series. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);
const userAgentMax = 200;

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Creates a span for each request and measures its duration, with the names and attributes of the semantic conventions
 * for HTTP servers (OpenTelemetry). They contain no API keys, query strings or bodies.
 */
export class RequestTelemetry {
  private readonly tracer = trace.getTracer(scopeName);
  private readonly durations = metrics.getMeter(scopeName).createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
    advice: { explicitBucketBoundaries: durationBuckets },
  });
  private readonly spans = new WeakMap<RequestContext, Span>();
  private readonly publicUrl: URL | undefined;

  /**
   * @param basePath the path prefix of the operations.
   * @param publicBaseUrl the URL of the service for its clients, if it is not that of the listener.
   */
  constructor(
    private readonly basePath: string,
    publicBaseUrl: string | undefined,
    private readonly redactor: KeyRedactor,
  ) {
    this.publicUrl = publicBaseUrl === undefined ? undefined : new URL(publicBaseUrl);
  }

  /** Returns a request listener that calls `app` in the context of the span of its request. */
  readonly wrapApp =
    (app: RequestListener): RequestListener =>
    (request, response) => {
      const span = this.start(requireContext(request));
      context.with(trace.setSpan(ROOT_CONTEXT, span), app, undefined, request, response);
    };

  /** Ends the span of a request whose response has been sent, or whose client has disconnected. */
  end(requestContext: RequestContext, result: RequestResult): void {
    const { request, startedAt, isMonitoring } = requestContext;
    const route = this.findRoute(requestContext);
    const errorType = findErrorType(requestContext, result);
    const method = methodOf(request);
    const attributes: Attributes = {
      'http.request.method': method,
      'network.protocol.version': request.httpVersion,
      ...(route !== undefined && { 'http.route': route }),
      ...(result.status !== undefined && { 'http.response.status_code': result.status }),
      ...(errorType !== undefined && { 'error.type': errorType }),
    };
    // A span that does not end is not exported: health checks are too frequent.
    if (!isMonitoring) {
      // A malformed request does not reach the application, nor does one whose client disconnects while it waits.
      const span = this.spans.get(requestContext) ?? this.start(requestContext);
      span.updateName(nameOf(method, route)).setAttributes(attributes);
      if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(unixMs(startedAt + result.durationMs));
    }
    this.durations.record(result.durationMs / 1000, { ...attributes, 'url.scheme': this.schemeOf(request) });
  }

  /** The ids of the span of a request, for the log; `undefined` if none is exported. */
  findIds(requestContext: RequestContext): { readonly traceId: string; readonly spanId: string } | undefined {
    const spanContext = this.spans.get(requestContext)?.spanContext();
    if (requestContext.isMonitoring || spanContext === undefined || !trace.isSpanContextValid(spanContext))
      return undefined;
    return { traceId: spanContext.traceId, spanId: spanContext.spanId };
  }

  /** Starts a span as a child of the span in `traceparent`, if there is one (W3C Trace Context). */
  private start(requestContext: RequestContext): Span {
    const { request, startedAt, path } = requestContext;
    const method = methodOf(request);
    const attributes: Attributes = {
      'http.request.method': method,
      'url.path': this.redactor.sanitize(path),
      'url.scheme': this.schemeOf(request),
      ...this.serverOf(request),
    };
    if (method === '_OTHER') attributes['http.request.method_original'] = request.method;
    const { traceparent, tracestate, 'user-agent': userAgent } = request.headers;
    if (userAgent !== undefined && !this.redactor.containsKey(userAgent))
      attributes['user_agent.original'] = userAgent.slice(0, userAgentMax);
    const isSafe = tracestate !== undefined && !this.redactor.containsKey(String(tracestate));
    const caller = propagation.extract(ROOT_CONTEXT, isSafe ? { traceparent, tracestate } : { traceparent });
    const options = { kind: SpanKind.SERVER, attributes, startTime: unixMs(startedAt) };
    const span = this.tracer.startSpan(nameOf(method), options, caller);
    this.spans.set(requestContext, span);
    return span;
  }

  private findRoute({ match, request }: RequestContext): string | undefined {
    if (match?.kind === 'operation') return `${this.basePath}${match.operation.path}`;
    const path: unknown = ((request as Request).route as { path?: unknown } | undefined)?.path;
    return typeof path === 'string' ? path : undefined;
  }

  /** One of two values: a client can send any `X-Forwarded-Proto`, and each value of a metric is a time series. */
  private schemeOf(request: IncomingMessage): string {
    const scheme = this.publicUrl?.protocol.slice(0, -1) ?? (request as Request).protocol;
    return scheme === 'https' ? 'https' : 'http';
  }

  private serverOf({ socket }: IncomingMessage): Attributes {
    const { publicUrl } = this;
    if (publicUrl === undefined) return { 'server.address': socket.localAddress, 'server.port': socket.localPort };
    const port = publicUrl.port || (publicUrl.protocol === 'https:' ? 443 : 80);
    return { 'server.address': publicUrl.hostname, 'server.port': Number(port) };
  }
}

function methodOf({ method = '' }: IncomingMessage): string {
  return knownMethods.has(method) ? method : '_OTHER';
}

function nameOf(method: string, route = ''): string {
  return `${method === '_OTHER' ? 'HTTP' : method} ${route}`.trimEnd();
}

/** `undefined` for statuses below 500, unless the client disconnected. */
function findErrorType({ errorCode }: RequestContext, { status, isAborted }: RequestResult): string | undefined {
  if (status !== undefined && status >= 500) return errorCode ?? String(status);
  return isAborted ? 'aborted' : undefined;
}
