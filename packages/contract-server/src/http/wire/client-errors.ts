import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, type LibraryErrorCode } from '@contract-server/core/lib/errors.js';
import type { Decision } from '../../rate-limits/decide.js';
import type { ErrorResponses } from '../errors/error-responses.js';
import { type AddressLimit } from '../limits/address-limit.js';
import { type RateLimitHeaders, rateLimitFamilies } from '../limits/rate-limit-headers.js';
import type { Connection, RequestContext, RequestIds } from '../request-context.js';
import { clientAddressOf } from './client-address.js';
import type { Connections } from './connections.js';
import { parserApiError } from './protocol-checks.js';
import { type HeaderValue, rawHeadersOf } from './response-headers.js';
import { lingerMs, sendResponse } from './send-response.js';

/** A malformed request without a request context, and the error response to it. */
export interface UnparsedRequest {
  readonly status: number;
  readonly code: string;
  /** The address of the socket: no header was read in which a proxy could report another one. */
  readonly address: string | undefined;
  readonly requestId: string;
}

export interface ClientErrorsOptions {
  readonly errors: ErrorResponses;
  /** Without it, requests are not limited. */
  readonly addressLimit?: Pick<AddressLimit, 'count'>;
  readonly requestIds: RequestIds;
  /** Default: those of both families. */
  readonly rateLimitHeaders?: RateLimitHeaders;
  readonly connections: Connections;
  /** Called for each malformed request with the code of its error. */
  readonly onMalformedRequest?: (code: LibraryErrorCode) => void;
  /** Called for those without a request context, which have no line in the request log. */
  readonly onUnparsedRequest?: (request: UnparsedRequest) => void;
}

type ClientSocket = Duplex & Partial<Pick<Socket, 'remoteAddress' | 'bytesRead'>>;

/**
 * Responds to malformed HTTP and closes the connection, because the bytes after it have no defined meaning. Each error
 * is counted against the client address, and keeps its own status even if the address has no requests left. Requests
 * before it on the same connection receive their responses first. An error of the service is reported.
 */
export class ClientErrors {
  constructor(private readonly options: ClientErrorsOptions) {}

  /** Handles Node's event `clientError`: bytes that the parser rejects, or a request that does not arrive in time. */
  async handle(error: Partial<NodeJS.ErrnoException>, socket: ClientSocket): Promise<void> {
    if (socket.destroyed) return;
    const connection = this.options.connections.of(socket);
    const { latest } = connection;
    const isRequestOpen = latest !== undefined && isArriving(latest);
    // Node reports each further piece of bytes again.
    if (connection.isClosing && !isRequestOpen) return;
    // The client has sent nothing, or everything is sent to it.
    if (!socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    connection.isClosing = true;
    const apiError = parserApiError(error);
    if (isRequestOpen) await this.reject(latest, apiError);
    else if (latest?.request.complete !== false) await this.rejectBytes(connection, socket, apiError);
    else await closeAfterResponses(connection, socket);
  }

  /** Closes a connection that waits for its client, with a 408 if the client has sent a part of a request. */
  async handleStall(socket: ClientSocket): Promise<void> {
    const { latest, pending } = this.options.connections.of(socket);
    // A stream that waits for its source. Its next chunk starts the timer again.
    if (socket.writableLength === 0 && [...pending].some(({ isStreaming }) => isStreaming)) return;
    if (latest !== undefined && isArriving(latest)) await this.handle({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket);
    else socket.destroy();
  }

  /** Rejects CONNECT, for which Node creates no response, and after which it handles no event of the socket. */
  async rejectConnect({ headers }: IncomingMessage, socket: ClientSocket): Promise<void> {
    socket.on('error', () => undefined).on('timeout', () => socket.destroy());
    const connection = this.options.connections.of(socket);
    if (connection.isClosing) return;
    connection.isClosing = true;
    const apiError = new ApiError('not_implemented', 'CONNECT is not supported: the server is not a proxy.');
    await this.rejectBytes(connection, socket, apiError, this.options.requestIds(headers['x-request-id']));
  }

  /** Rejects a request that is malformed, as a whole or in its body, unless it already has a response. */
  async reject(context: RequestContext, apiError: ApiError): Promise<void> {
    const { errors } = this.options;
    context.closesConnection = true;
    context.errorCode = apiError.code;
    try {
      context.decision = await this.count(apiError, clientAddressOf(context.request));
      sendResponse(context.response, errors.from(apiError, context));
    } catch (error) {
      errors.report(error, context.id);
      context.response.destroy();
    }
  }

  /** Rejects what has no request context: CONNECT, or bytes that belong to no request. */
  private async rejectBytes(
    connection: Connection,
    socket: ClientSocket,
    apiError: ApiError,
    requestId = this.options.requestIds(undefined),
  ): Promise<void> {
    const { errors, onUnparsedRequest, rateLimitHeaders = rateLimitFamilies.both } = this.options;
    const address = socket.remoteAddress;
    const response = errors.from(apiError, { id: requestId });
    try {
      const decision = await this.count(apiError, address);
      const headers = rawHeadersOf(
        { id: requestId, decision, deprecationHeaders: undefined, rateLimitHeaders },
        response,
      );
      await closeAfterResponses(connection, socket, responseText(response, headers));
      onUnparsedRequest?.({ status: response.status, code: response.code, address, requestId });
    } catch (error) {
      errors.report(error, requestId);
      socket.destroy();
    }
  }

  /** Counts a malformed request, also against the limit of its client address. */
  private async count({ code }: ApiError, address: string | undefined): Promise<Decision | undefined> {
    this.options.onMalformedRequest?.(code);
    return this.options.addressLimit?.count(address);
  }
}

/** Whether a request is still arriving and has no response yet. */
function isArriving({ request, response, errorCode }: RequestContext): boolean {
  return !request.complete && errorCode === undefined && !response.headersSent;
}

/**
 * Closes a connection after the responses to its requests, and discards what the client still sends: closing it with
 * unread bytes would reset it, and the client would lose the last response (RFC 9112, section 9.6).
 */
async function closeAfterResponses({ pending }: Connection, socket: Duplex, text = ''): Promise<void> {
  for (const { response } of pending) await new Promise((resolve) => response.once('close', resolve));
  if (!socket.writable) return;
  socket.resume().end(text);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/** The text of an error response with `Connection: close`, for a connection on which Node has created no response. */
function responseText(
  { status, body }: ReturnType<ErrorResponses['from']>,
  rawHeaders: readonly HeaderValue[],
): string {
  let lines = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n`;
  rawHeaders.forEach((text, index) => (lines += index % 2 === 0 ? `${String(text)}: ` : `${String(text)}\r\n`));
  return `${lines}Date: ${new Date().toUTCString()}\r\nConnection: close\r\n\r\n${String(body ?? '')}`;
}
