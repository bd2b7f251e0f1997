import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthenticationResult } from '../api-keys/authenticator.js';
import type { JsonValue } from '../json/exact-json.js';
import type { ApiError } from '../openapi/api-error.js';
import type { Match } from '../openapi/compiled-router.js';
import type { ErrorCode } from '../openapi/types.js';
import type { Decision } from '../rate-limits/decide.js';
import type { RateLimitClient } from '../rate-limits/rate-limit-store.js';

/** One request on its way down and its answer on its way up. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What `X-Request-Id` says in the answer. */
  readonly id: string;
  /** When the request had its headers, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** What is wrong with the request as HTTP; it may turn out while the rest of it arrives. */
  protocolError: ApiError | undefined;
  /** Whether the browser of a listed origin asks what it may send (Fetch standard, "CORS-preflight request"). */
  isPreflight: boolean;
  /** The operation that it matches; `undefined` outside the path prefix. */
  match: Match | undefined;
  /** What every response of a deprecated operation announces. */
  deprecationHeaders: HttpResponse['headers'];
  /** The API key, or why there is none; `undefined` until `authenticate`. */
  authentication: AuthenticationResult | undefined;
  /** Whose limits it counts against; `undefined` until `authenticate`. */
  client: RateLimitClient | undefined;
  /** The id of a valid key, once it was looked up. */
  keyId: string | undefined;
  /** Known once the limiter has decided. */
  decision: Decision | undefined;
  body: JsonBody;
  /** The limit in which it takes a place while it is worked on. */
  concurrency: { leave(context: RequestContext): void } | undefined;
  /** Of an answer that is an error. */
  errorCode: ErrorCode | undefined;
  /** Whether it is one of those that machines send all the time to watch the service. */
  isMonitoring: boolean;
}

/** The body of a request: as it was sent, and as it was parsed; no bytes and `undefined` when there is none. */
export interface JsonBody {
  readonly bytes: Uint8Array;
  readonly value: JsonValue | undefined;
}

export const noBody: JsonBody = { bytes: new Uint8Array(), value: undefined };

/** What is to be written as an answer; a body is JSON text unless it has another media type. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array;
  /** Of a body that is no JSON. */
  readonly mediaType?: string;
  /** Who may keep the answer, and for how long; nobody, if it is not said. */
  readonly cacheControl?: string;
  /** Of an error. */
  readonly code?: ErrorCode;
}

/** A request as the server makes them: it leads to its exchange, wherever express hands it. */
export interface ContextRequest extends IncomingMessage {
  context: RequestContext | undefined;
}

export function createRequestContext(request: IncomingMessage, response: ServerResponse, id: string): RequestContext {
  const { path, query } = splitTarget(request.url ?? '');
  const context: RequestContext = {
    request,
    response,
    id,
    startedAt: performance.now(),
    path,
    query,
    protocolError: undefined,
    isPreflight: false,
    match: undefined,
    deprecationHeaders: undefined,
    authentication: undefined,
    client: undefined,
    keyId: undefined,
    decision: undefined,
    body: noBody,
    concurrency: undefined,
    errorCode: undefined,
    isMonitoring: false,
  };
  (request as ContextRequest).context = context;
  return context;
}

/** @throws TypeError for a request that did not come in by the front door. */
export function requestContextOf(request: IncomingMessage): RequestContext {
  const { context } = request as ContextRequest;
  if (context === undefined) throw new TypeError('The request has no exchange.');
  return context;
}

/** @throws TypeError for a request that did not pass `authenticate`. */
export function rateLimitClientOf(request: IncomingMessage): RateLimitClient {
  const { client } = requestContextOf(request);
  if (client === undefined) throw new TypeError('The request was not authenticated.');
  return client;
}

/** The path and the query of a request target in origin form or absolute form (RFC 9112, section 3.2). */
function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target);
  const relative = origin === null ? target : target.slice(origin[0].length);
  const mark = relative.indexOf('?');
  const path = mark < 0 ? relative : relative.slice(0, mark);
  return { path: path === '' ? '/' : path, query: mark < 0 ? '' : relative.slice(mark + 1) };
}
