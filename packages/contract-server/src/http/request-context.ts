import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyRule } from '@contract-server/core/bodies/body-rule.js';
import type { PlacedFile } from '@contract-server/core/bodies/uploaded-file.js';
import { type Contract, findHeaderSchema } from '@contract-server/core/contract/contract.js';
import type { Quota } from '@contract-server/core/contract/document.js';
import type { FileBody } from '@contract-server/core/responses/file-body.js';
import type { StreamedBody } from '@contract-server/core/responses/streamed-body.js';
import { compilePattern } from '@contract-server/core/schema/patterns.js';
import type { Caller } from '@contract-server/core/types/types.js';
import type { Response as ExpressResponse } from 'express';
import type { Logger } from 'pino';
import type { RequestState, ValidatedRequest } from '../backend/adapt-handlers.js';
import type { SecurityRequirement } from '../backend/compiled-operation.js';
import type { Match } from '../backend/compiled-router.js';
import type { KeyRedactor } from '../log/key-redactor.js';
import { silentLogger } from '../log/log.js';
import type { Decision, OperationDecision } from '../rate-limits/decide.js';
import { type RateLimitHeaders, rateLimitFamilies } from './limits/rate-limit-headers.js';
import type { Identity } from './security/security.js';
import { clientAddressOf } from './wire/client-address.js';
import { normalizedTarget, type RequestTarget } from './wire/request-target.js';

/** The body of a request. */
export interface RequestBody {
  /** The rule of its media type; `undefined` without a body. */
  readonly rule: BodyRule | undefined;
  /** As sent; empty for a body with files. */
  readonly bytes: Uint8Array;
  /** As parsed, without its files. */
  readonly value: unknown;
  readonly files: readonly PlacedFile[];
}

export const emptyBody: RequestBody = { rule: undefined, bytes: new Uint8Array(), value: undefined, files: [] };

/** No response can be sent: the client has disconnected, or already has one. */
export class NoResponsePossible extends Error {
  override readonly name = 'NoResponsePossible';
}

/** The state of a request while it is processed. */
export class RequestContext implements RequestState {
  /** When the headers had arrived, in milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  /** As the server or the router reads it from the target. */
  path: string;
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
  /** The security requirement that the request satisfies, from `authorize` on; empty if none is required. */
  requirement: SecurityRequirement | undefined = undefined;
  /** The quota of the first caller that has one, from `authenticate` on. */
  quota: Quota | undefined = undefined;
  /** `undefined` until the request is counted. */
  decision: Decision | OperationDecision | undefined = undefined;
  /** Writes the decision. */
  rateLimitHeaders: RateLimitHeaders = rateLimitFamilies.both;
  body: RequestBody = emptyBody;
  validated: ValidatedRequest | undefined = undefined;
  /** The concurrency limit in which it holds a slot. */
  concurrency: { leave(context: RequestContext): void } | undefined = undefined;
  /** The code of an error response. */
  errorCode: string | undefined = undefined;
  /** Whether the client waits for 100 Continue before it sends the body, and the server has not sent it. */
  awaitsContinue = false;
  /** Whether it has reached the routes of the service. */
  isRoute = false;
  /** Whether it is a health check or a request for metrics. */
  isMonitoring = false;
  /** That of a router in the application, which sends the response. */
  private inner: RequestContext | undefined = undefined;
  private isDraining = false;
  private sendsStream = false;
  private sendsEvents = false;
  private disconnection: AbortController | undefined = undefined;

  /**
   * @param id the value of `X-Request-Id` in the response.
   * @param logger receives the lines of handlers.
   * @param target of the request by default.
   */
  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly id: string,
    readonly connection: Connection,
    readonly logger: Logger = silentLogger,
    { path, query }: RequestTarget = normalizedTarget(request.url ?? ''),
  ) {
    this.path = path;
    this.query = query;
    setContext(request, this);
  }

  /**
   * Aborted with `NoResponsePossible` when the client disconnects before the response was sent, or when its event
   * stream ends because the server stops.
   */
  get signal(): AbortSignal {
    return (this.disconnection ??= abortOnDisconnect(this.response)).signal;
  }

  /** Whether its response is a stream, which may have nothing to send for any time. */
  get isStreaming(): boolean {
    return this.inner?.isStreaming ?? this.sendsStream;
  }

  set isStreaming(isStreaming: boolean) {
    this.sendsStream = isStreaming;
  }

  /** Whether its event stream ends because the server no longer accepts connections: its client connects elsewhere. */
  get isCutShort(): boolean {
    return this.isDraining && this.sendsEvents;
  }

  /** Called when the server no longer accepts connections. */
  drain(): void {
    this.isDraining = true;
    this.abortEvents();
    this.inner?.drain();
  }

  /** Continues with the context of a router in the application. */
  nest(inner: RequestContext): void {
    this.inner = inner;
    inner.closesConnection = this.closesConnection;
    inner.awaitsContinue = this.awaitsContinue;
    if (this.isDraining) inner.drain();
  }

  /** Called before the events of its response are sent. */
  beginEvents(): void {
    this.sendsEvents = true;
    this.abortEvents();
  }

  private abortEvents(): void {
    if (!this.isCutShort) return;
    this.disconnection ??= abortOnDisconnect(this.response);
    this.disconnection.abort(new NoResponsePossible('The server stops.'));
  }

  /** Clients send it in UTF-8 (HTML Standard, section 9.2.4); Node reads headers as Latin-1. */
  get lastEventId(): string | undefined {
    const sent = this.request.headers['last-event-id']?.toString();
    return sent && Buffer.from(sent, 'latin1').toString('utf8');
  }

  readAccept(): string | undefined {
    (this.response as ExpressResponse).vary('Accept');
    return this.request.headers.accept;
  }

  get clientAddress(): string | undefined {
    return clientAddressOf(this.request);
  }
}

/**
 * Aborts when the client disconnects. Most clients do so by closing their side of the connection, which a server cannot
 * distinguish from a client that has finished sending and waits for the response.
 */
function abortOnDisconnect(response: ServerResponse): AbortController {
  const controller = new AbortController();
  const { socket } = response.req;
  const end = () => {
    socket.off('end', end).off('close', end);
    if (!response.writableFinished) controller.abort(new NoResponsePossible('The client has disconnected.'));
  };
  if (socket.destroyed || socket.readableEnded) end();
  // Node emits `close` only for the response in progress, not for those of pipelined requests behind it.
  else socket.once('end', end).once('close', end);
  response.once('close', end);
  return controller;
}

/** A connection, on which a client may send requests without waiting for responses (RFC 9112, section 9.3.2). */
export class Connection {
  /** The requests in progress. */
  readonly pending = new Set<RequestContext>();
  /** The request that was received last. */
  latest: RequestContext | undefined;
  /** Whether a request was received before the response to an earlier one had been sent. */
  isPipelined = false;
  /** Whether one of the requests that were received is the last one to be served. */
  isClosing = false;
  /** Whether its server stops: it is closed after the response to the latest request. */
  isStopping = false;
  /** How many requests were received after the last one to be served. */
  discarded = 0;
  /** How many of the requests in progress have a stream or a file as their response. */
  longResponses = 0;
  /** What sends the responses that are ready, but wait for those to earlier requests. */
  readonly waiting = new Map<IncomingMessage, () => void>();
}

/** A response to send. The body is JSON text unless `mediaType` is given. */
export interface HttpResponse {
  readonly status: number;
  /** A list is several `Set-Cookie` headers; the members of any other are joined. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly body?: string | Uint8Array;
  /** The media type of a body that is not JSON. */
  readonly mediaType?: string;
  /** The value of `Cache-Control`; `no-store` by default. */
  readonly cacheControl?: string;
  /** The code of an error. */
  readonly code?: string;
}

/** A response with another body. */
type ResponseWith<Body> = Omit<HttpResponse, 'body'> & { readonly body: Body };
/** A response whose body is sent while it is produced. */
export type StreamedResponse = ResponseWith<StreamedBody>;
export type FileResponse = ResponseWith<FileBody>;
/** A response of any operation. */
export type AnyResponse = HttpResponse | StreamedResponse | FileResponse;

/** The property of a request with its context. A symbol, because other middleware adds properties too. */
export const contextProperty = Symbol('context');

/** A request that may have a context. */
export interface ContextRequest extends IncomingMessage {
  [contextProperty]?: RequestContext | undefined;
}

function setContext(request: ContextRequest, context: RequestContext | undefined): void {
  request[contextProperty] = context;
}

export function findContext(request: ContextRequest): RequestContext | undefined {
  return request[contextProperty];
}

/** @throws TypeError for a request without a context. */
export function requireContext(request: IncomingMessage): RequestContext {
  const context = findContext(request);
  if (context === undefined) throw new TypeError('The request has no context.');
  return context;
}

export const requestIdHeader = 'X-Request-Id';

/** The maximum length of a request id of a client, unless the contract declares another one. */
const requestIdLengthMax = 128;

/** Assigns request ids, with which clients and operators identify a request. */
export type RequestIds = (sent: string | string[] | undefined) => string;

/** Uses the id that a client sent if it is valid and contains no API key, otherwise a random one. */
export function createRequestIds(contract: Contract, redactor: Pick<KeyRedactor, 'redact'>): RequestIds {
  const { pattern = '', maxLength = requestIdLengthMax } = findHeaderSchema(contract, requestIdHeader) ?? {};
  const expression = (pattern && compilePattern(pattern, maxLength)) || /^[\w.-]+$/;
  // Matching takes time, and the client is not authenticated yet.
  const isAllowed = (sent: string) => sent.length <= maxLength && expression.test(sent);
  return (sent) =>
    typeof sent === 'string' && isAllowed(sent) && redactor.redact(sent) === sent ? sent : randomUUID();
}
