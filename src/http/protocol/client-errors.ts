import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../../lib/errors.js';
import { ApiError } from '../../lib/errors.js';
import type { RequestLimits } from '../../openapi/document.js';
import type { AddressLimit } from '../address-limit.js';
import { clientAddressOf } from '../middleware/client-address.js';
import type { ErrorResponses } from '../middleware/error-handler.js';
import { rateLimitHeaders } from '../rate-limit-headers.js';
import type { ContextRequest, RequestContext } from '../request-context.js';
import { type RequestIds, requestIdHeader } from '../request-ids.js';
import { writeResponse } from '../send-response.js';
import type { Connections } from './connections.js';
import { lingeringClose } from './lingering-close.js';
import { isHeadRequest, type ParserError, parserApiError, UnknownMethods } from './parser-errors.js';

/** A malformed request, for which there is no request context, and the error response to it. */
export interface MalformedRequestEvent {
  readonly status: number;
  readonly code: ErrorCode;
  /** The address of the socket: no header was read in which a proxy could report another one. */
  readonly address: string | undefined;
  readonly requestId: string;
}

export interface ClientErrorsOptions {
  readonly errors: ErrorResponses;
  readonly addressLimit: AddressLimit;
  readonly requestIds: RequestIds;
  readonly connections: Connections;
  readonly requestLimits: RequestLimits;
  /** Called for each error response without a request context. */
  readonly onClientError: (error: MalformedRequestEvent) => void;
}

type ClientSocket = Duplex & { readonly remoteAddress?: string | undefined };

/**
 * Responds to malformed HTTP and closes the connection, because the bytes after it have no defined meaning. Each error
 * is counted against the client address, and keeps its own status even if the address has no requests left. Requests
 * before it on the same connection receive their responses first. No method throws or rejects.
 *
 * Undocumented in Node: its `end` listener on a socket ends the connection, at once or after the response in progress.
 * It is removed before the response to malformed bytes is sent, which a client that has closed its side would not
 * receive otherwise. There is no public API for it. Test: client-errors.test.ts ("closed its side").
 */
export class ClientErrors {
  private readonly failed = new WeakSet<Duplex>();
  private readonly unknownMethods: UnknownMethods;

  constructor(private readonly options: ClientErrorsOptions) {
    this.unknownMethods = new UnknownMethods(options.requestLimits);
  }

  /** Handles Node's event `clientError`: bytes that the parser rejects, or a request that does not arrive in time. */
  async handle(error: ParserError, socket: ClientSocket): Promise<void> {
    // Node reports each further chunk of bytes again, and errors of a connection that is already closed.
    if (this.failed.has(socket) || !socket.writable) return;
    const isMethod = error.code === 'HPE_INVALID_METHOD';
    const apiError = isMethod
      ? this.unknownMethods.findError(error, socket)
      : parserApiError(error, this.options.requestLimits);
    if (apiError === undefined) {
      socket.removeAllListeners('end').once('end', () => void this.handle({ code: 'HPE_INVALID_EOF_STATE' }, socket));
      return;
    }
    this.failed.add(socket);
    const context = this.options.connections.incompleteRequest(socket);
    await (context === undefined
      ? this.rejectBytes(socket, apiError, isHeadRequest(error))
      : this.rejectRest(context, apiError));
  }

  get bodyChunksMax(): number {
    return this.options.requestLimits.bodyChunksMax;
  }

  /** Rejects a request whose body has too many chunks: each takes about a microsecond, however short it is. */
  async rejectChunks({ context }: ContextRequest): Promise<void> {
    const message = `The body exceeds ${String(this.bodyChunksMax)} chunks. Send larger chunks.`;
    if (context !== undefined) await this.rejectRest(context, new ApiError('body_too_large', message));
  }

  /** Closes a connection without activity, with a 408 if its client has sent a part of a request. */
  async closeStalled(socket: ClientSocket): Promise<void> {
    const isIncomplete = this.options.connections.incompleteRequest(socket) !== undefined;
    if (isIncomplete && !this.failed.has(socket)) await this.handle({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket);
    else socket.destroy();
  }

  /** Rejects CONNECT, for which Node creates no response. */
  async rejectConnect({ headers }: IncomingMessage, socket: ClientSocket): Promise<void> {
    // Node removes its own listeners from the socket of a CONNECT request.
    socket.on('error', () => undefined);
    socket.on('timeout', () => socket.destroy());
    if (this.failed.has(socket)) return;
    this.failed.add(socket);
    const apiError = new ApiError('not_implemented', 'CONNECT is not supported: the server is not a proxy.');
    await this.rejectBytes(socket, apiError, false, this.options.requestIds.of(headers['x-request-id']));
  }

  /** Rejects a request that broke a protocol check, when it is its turn. */
  async reject(context: RequestContext, apiError: ApiError): Promise<void> {
    const { errors, addressLimit } = this.options;
    const { request, response } = context;
    // Node does not end a request whose response was sent first: its reader receives `close` instead.
    if (!request.complete) request.socket.once('close', () => request.destroy());
    try {
      context.decision = await addressLimit.count(clientAddressOf(request));
      writeResponse(context, errors.from(apiError));
    } catch (error) {
      errors.report(error, context.id);
      response.destroy();
    }
  }

  /** Rejects a request whose rest is malformed. It may be waiting, in progress, or have its response. */
  private async rejectRest(context: RequestContext, apiError: ApiError): Promise<void> {
    if (context.protocolError !== undefined) return;
    const { connections } = this.options;
    const { socket } = context.request;
    context.protocolError = apiError;
    connections.closeAfter(context);
    if (connections.isQueued(context)) return;
    if (!context.response.headersSent) await this.reject(context, apiError);
    else {
      await connections.whenIdle(socket);
      if (socket.writable) lingeringClose(socket);
    }
  }

  /** Rejects bytes that belong to no request, after the responses to the requests before them. */
  private async rejectBytes(
    socket: ClientSocket,
    apiError: ApiError,
    isHead: boolean,
    requestId = this.options.requestIds.of(undefined),
  ): Promise<void> {
    const { connections, errors, addressLimit, onClientError } = this.options;
    const address = socket.remoteAddress;
    socket.removeAllListeners('end');
    try {
      await connections.whenIdle(socket);
      if (!socket.writable) return;
      const { status, body } = errors.from(apiError);
      const limits = rateLimitHeaders(await addressLimit.count(address));
      const headers = { [requestIdHeader]: requestId, 'Cache-Control': 'no-store', ...limits };
      socket.write(responseText(status, headers, body, isHead));
      lingeringClose(socket);
      onClientError({ status, code: apiError.code, address, requestId });
    } catch (error) {
      errors.report(error, requestId);
      socket.destroy();
    }
  }
}

/**
 * The text of a response with `Connection: close`, for a connection on which Node has created no response.
 *
 * @param isHead whether to send the headers only (RFC 9110, section 9.3.2).
 */
export function responseText(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
  isHead: boolean,
): string {
  const all = {
    ...headers,
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${isHead ? '' : body}`;
}
