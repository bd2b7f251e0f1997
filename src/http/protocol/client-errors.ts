import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../openapi/api-error.js';
import type { RequestLimits } from '../../openapi/document.js';
import type { ErrorCode } from '../../openapi/types.js';
import type { ErrorResponses } from '../error-responses.js';
import { clientAddressOf } from '../middleware/client-address.js';
import type { RateLimiter } from '../middleware/rate-limit.js';
import { rateLimitHeaders } from '../middleware/rate-limit-headers.js';
import type { ContextRequest, RequestContext } from '../request-context.js';
import { type RequestIds, requestIdHeader } from '../request-ids.js';
import { sendResponse } from '../send-response.js';
import type { Connections } from './connections.js';
import { lingeringClose } from './lingering-close.js';
import { type ParserError, parserApiError, UnknownMethods } from './parser-errors.js';

/** A fault on a connection that is no part of an exchange, as it was answered. */
export interface ClientError {
  readonly status: number;
  readonly code: ErrorCode;
  /** The socket's: nothing was read in which a proxy could have told another. */
  readonly address: string | undefined;
  readonly requestId: string;
}

export interface ClientErrorsOptions {
  readonly errors: ErrorResponses;
  readonly limiter: RateLimiter;
  readonly requestIds: RequestIds;
  readonly connections: Connections;
  readonly requestLimits: RequestLimits;
  /** Told of what was answered where no request came to be. What is wrong with a request ends its exchange. */
  readonly onClientError: (fault: ClientError) => void;
}

/**
 * A connection with what Node keeps on it, under names of its own: its parser with the request that it is reading, and
 * the answer in progress.
 */
interface NodeSocket extends Duplex {
  readonly remoteAddress?: string | undefined;
  readonly parser?: { readonly incoming: ContextRequest | null } | null;
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Answers what is no proper HTTP, and ends its connection: nobody can tell what the bytes after it mean. A fault is
 * counted against the address that it comes from, and keeps its own status even when that has no requests left. What
 * was asked before it on the same connection gets its answers first. Nothing here rejects.
 */
export class ClientErrors {
  private readonly failed = new WeakSet<Duplex>();

  private readonly unknownMethods: UnknownMethods;

  constructor(private readonly parts: ClientErrorsOptions) {
    this.unknownMethods = new UnknownMethods(parts.requestLimits);
  }

  /** For bytes that Node's parser does not take, or a request that does not come to its end. */
  async handle(error: ParserError, socket: NodeSocket): Promise<void> {
    // Node tells of every further piece again, and of trouble on a connection that has ended.
    if (this.failed.has(socket) || !socket.writable) return;
    const isMethod = error.code === 'HPE_INVALID_METHOD';
    const fault = isMethod
      ? this.unknownMethods.findError(error, socket)
      : parserApiError(error, this.parts.requestLimits);
    if (fault === undefined) {
      // When the client closes its side, Node would end the connection without a response.
      socket.removeAllListeners('end').once('end', () => void this.handle({ code: 'HPE_INVALID_EOF_STATE' }, socket));
      return;
    }
    this.failed.add(socket);
    const request = socket.parser?.incoming;
    const isInside = request !== undefined && request !== null && !request.complete;
    await (isInside ? this.rejectRest(request, fault) : this.rejectBytes(socket, fault));
  }

  get bodyChunksMax(): number {
    return this.parts.requestLimits.bodyChunksMax;
  }

  /** For a request whose body comes in too many chunks: each costs about a microsecond, however short it is. */
  rejectChunks(request: ContextRequest): Promise<void> {
    return this.rejectRest(
      request,
      new ApiError('body_too_large', `The body may have at most ${String(this.bodyChunksMax)} chunks.`),
    );
  }

  /**
   * For a connection on which nothing moves: its client has stopped in the middle of a request, does not read, or has
   * nothing to ask.
   */
  async closeStalled(socket: NodeSocket): Promise<void> {
    const isInside = socket.parser?.incoming?.complete === false;
    if (isInside && !this.failed.has(socket)) await this.handle({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket);
    else socket.destroy();
  }

  /** For CONNECT, to which Node gives no response. */
  async rejectConnect({ headers }: IncomingMessage, socket: NodeSocket): Promise<void> {
    // Node leaves the connection to whoever listens, with its errors and its timeout.
    socket.on('error', () => undefined);
    socket.on('timeout', () => socket.destroy());
    if (this.failed.has(socket)) return;
    this.failed.add(socket);
    const fault = new ApiError('not_implemented', 'The service is no proxy: it has no method CONNECT.');
    await this.rejectBytes(socket, fault, this.parts.requestIds.of(headers['x-request-id']));
  }

  /** For a request that has a fault, when it is its turn. */
  reject(context: RequestContext, fault: ApiError): Promise<void> {
    const { request } = context;
    // Node forgets a request that has its answer. Who waits for the rest of it learns at the end of the connection that
    // there is none.
    if (!request.complete) request.socket.once('close', () => request.destroy());
    return this.sendError(context, fault).catch((error: unknown) => {
      this.parts.errors.report(error, context.id);
      context.response.destroy();
    });
  }

  private async sendError(context: RequestContext, fault: ApiError): Promise<void> {
    const { errors, limiter } = this.parts;
    context.decision = await limiter.admit(limiter.addressOf(clientAddressOf(context.request)));
    sendResponse(context.response, errors.from(fault));
  }

  /**
   * The rest of a request is at fault. It may be waiting for its turn, be in the middle of it, or have had its answer.
   */
  private async rejectRest({ context, socket }: ContextRequest, fault: ApiError): Promise<void> {
    if (context === undefined || context.protocolError !== undefined) return;
    const { connections } = this.parts;
    context.protocolError = fault;
    connections.closeAfter(context);
    if (connections.isWaiting(context)) return;
    if (!context.response.headersSent) await this.reject(context, fault);
    else {
      await responsesSent(socket);
      if (socket.writable) lingeringClose(socket);
    }
  }

  private async rejectBytes(
    socket: NodeSocket,
    fault: ApiError,
    requestId = this.parts.requestIds.of(undefined),
  ): Promise<void> {
    const { errors, limiter, onClientError } = this.parts;
    const address = socket.remoteAddress;
    // When the client closes its side, Node would end the connection with the answer before this one, or at once where
    // there is none.
    socket.removeAllListeners('end');
    try {
      await responsesSent(socket);
      if (!socket.writable) return;
      const { status, body } = errors.from(fault);
      const limits = rateLimitHeaders(await limiter.admit(limiter.addressOf(address)));
      socket.write(
        responseText(status, { [requestIdHeader]: requestId, 'Cache-Control': 'no-store', ...limits }, body),
      );
      lingeringClose(socket);
      onClientError({ status, code: fault.code, address, requestId });
    } catch (failure) {
      errors.report(failure, requestId);
      socket.destroy();
    }
  }
}

/**
 * Resolves when there is no answer in progress on a connection: what was asked before a fault may have been done, and
 * the client would take the answer to the fault for the answer to that.
 */
async function responsesSent(socket: NodeSocket): Promise<void> {
  for (;;) {
    const response = socket._httpMessage;
    if (!response || socket.destroyed) return;
    await new Promise((resolve) => response.once('close', resolve));
  }
}

/** An answer as it is written where Node gives no response to write it with. The connection ends with it. */
export function responseText(status: number, headers: Readonly<Record<string, string>>, body: string): string {
  const all = {
    ...headers,
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
