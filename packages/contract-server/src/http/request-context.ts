import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { JsonValue } from '../json/exact-json.js';
import type { Match } from '../openapi/compiled-router.js';
import { type ContractDocument, findHeaderSchema } from '../openapi/document.js';
import type { Caller } from '../openapi/types.js';
import type { Decision, OperationDecision } from '../rate-limits/decide.js';
import type { Quota } from '../rate-limits/quota-store.js';
import type { Identity } from './security.js';

/** The body of a request, as sent and as parsed. */
export interface JsonBody {
  readonly bytes: Uint8Array;
  readonly value: JsonValue | undefined;
}

export const emptyBody: JsonBody = { bytes: new Uint8Array(), value: undefined };

/** The state of a request while it is processed. */
export class RequestContext {
  /** When the headers had arrived, in milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  /** As sent, with percent-encoded letters, digits, `-`, `.`, `_` and `~` decoded (RFC 3986, section 6.2.2.2). */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Whether the connection is closed after the response, if no later request has been received on it. */
  closesConnection = false;
  /** The operation that it matches; `undefined` outside the path prefix. */
  match: Match | undefined = undefined;
  /** The headers that announce the removal of a deprecated operation. */
  deprecationHeaders: HttpResponse['headers'] = undefined;
  /** What the security schemes of the operation have found, in their order, from `authenticate` on. */
  identities: readonly Identity[] = [];
  /** The first caller that was identified, whether or not it may call the operation. */
  firstCaller: Caller | undefined = undefined;
  /** The callers that satisfy the security requirements, from `authorize` on; empty if none is required. */
  callers: readonly Caller[] | undefined = undefined;
  /** The quota of the first caller that has one, from `authenticate` on. */
  quota: Quota | undefined = undefined;
  /** `undefined` until the request is counted. */
  decision: Decision | OperationDecision | undefined = undefined;
  body = emptyBody;
  /** The concurrency limit in which it holds a slot. */
  concurrency: { leave(context: RequestContext): void } | undefined = undefined;
  /** The code of an error response. */
  errorCode: string | undefined = undefined;
  /** Whether it has reached the routes of the service. */
  isRoute = false;
  /** Whether it is a health check or a request for metrics. */
  isMonitoring = false;

  /** @param id the value of `X-Request-Id` in the response. */
  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly id: string,
    readonly connection: Connection,
  ) {
    const { path, query } = splitTarget(request.url ?? '');
    this.path = path;
    this.query = query;
    (request as ContextRequest).context = this;
  }
}

/** A connection, on which a client may send requests without waiting for responses (RFC 9112, section 9.3.2). */
export interface Connection {
  /** The requests in progress. */
  readonly pending: Set<RequestContext>;
  /** The request that was received last. */
  latest: RequestContext | undefined;
  /** Whether one of the requests that were received is the last one to be served. */
  isClosing: boolean;
}

/** A response to send. The body is JSON text unless `mediaType` is given. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array;
  /** The media type of a body that is not JSON. */
  readonly mediaType?: string;
  /** The value of `Cache-Control`; `no-store` by default. */
  readonly cacheControl?: string;
  /** The code of an error. */
  readonly code?: string;
}

/** A request of the server, with its context. */
export interface ContextRequest extends IncomingMessage {
  context: RequestContext | undefined;
}

/** @throws TypeError for a request that did not pass the request listener. */
export function requireContext(request: IncomingMessage): RequestContext {
  const { context } = request as ContextRequest;
  if (context === undefined) throw new TypeError('The request has no context.');
  return context;
}

export const requestIdHeader = 'X-Request-Id';

/** Assigns request ids, with which clients and operators identify a request. */
export type RequestIds = (sent: string | string[] | undefined) => string;

/** Uses the id that a client sent if it is valid and contains no API key, otherwise a random one. */
export function createRequestIds(contract: ContractDocument, redactor: KeyRedactor): RequestIds {
  const { pattern = '^[\\w.-]{1,128}$' } = findHeaderSchema(contract, requestIdHeader) ?? {};
  const allowed = new RegExp(pattern);
  return (sent) =>
    typeof sent === 'string' && allowed.test(sent) && redactor.redact(sent) === sent ? sent : randomUUID();
}

/** The path and the query of a request target in origin form or absolute form (RFC 9112, section 3.2). */
function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target);
  const relative = origin === null ? target : target.slice(origin[0].length);
  const mark = relative.indexOf('?');
  const path = mark < 0 ? relative : relative.slice(0, mark);
  return { path: path === '' ? '/' : decodeUnreserved(path), query: mark < 0 ? '' : relative.slice(mark + 1) };
}

/** Decodes the characters that are equivalent to their percent-encoding. Invalid escapes leave the path unchanged. */
function decodeUnreserved(path: string): string {
  if (!path.includes('%') || /%(?![0-9A-Fa-f]{2})/.test(path)) return path;
  return path.replace(/%[2-7][0-9A-F]/gi, (escape) => {
    const character = String.fromCharCode(parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape;
  });
}
