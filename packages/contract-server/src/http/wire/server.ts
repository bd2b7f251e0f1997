import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Report, StartError } from '@contract-server/core/lib/errors.js';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { rateLimitFamilies } from '../limits/rate-limit-headers.js';
import type { cors } from '../middleware/cors.js';
import { type ContextRequest, contextProperty, RequestContext } from '../request-context.js';
import { isTrustedProxy } from './client-address.js';
import { ClientErrors, type ClientErrorsOptions } from './client-errors.js';
import { Connections, checkForwardedFor, limitConnections } from './connections.js';
import { expectsContinue, findProtocolError, headerLinesMax } from './protocol-checks.js';
import { RequestScheduler } from './request-scheduler.js';
import { originFormOf } from './request-target.js';
import { announceClose } from './send-response.js';

/** Maximum time for the headers to arrive, in milliseconds. */
const headersTimeoutMs = 20_000;
/**
 * Maximum time without any data on a connection in use, in milliseconds. While a response waits to be read, Node
 * notices it after twice this time.
 */
const stallTimeoutMs = 25_000;
/** How long an idle connection stays open, in milliseconds: longer than the 60 s of common load balancers. */
const keepAliveTimeoutMs = 65_000;
/** Maximum size of the request line and the headers for Node's parser, in bytes: above the limits of the service. */
const parsedBytesMax = 32 * 1024;
/** Interval between Node's checks for slow connections, in milliseconds: a timeout may be late by this much. */
const timeoutCheckMs = 5000;
/** Maximum number of connections that wait to be accepted; the operating system may have a lower limit. */
const backlogMax = 4096;

export interface HttpServerOptions extends Omit<ClientErrorsOptions, 'connections'> {
  /**
   * Whether the application has routes of its own, which get requests as they were sent, may take any time between
   * bytes, and are not told that a client has closed its side.
   */
  readonly servesRoutes?: boolean;
  /** Maximum time for a whole request to arrive. */
  readonly requestTimeoutSeconds: number;
  /** Maximum number of open connections; more are closed as soon as they are accepted. */
  readonly connectionsMax?: number;
  /** The same for each client address; 0 for no limit. */
  readonly connectionsPerAddressMax: number;
  /** Receives the address of the first connection that is closed because its address has too many. */
  readonly onConnectionLimit?: (address: string) => void;
  /** Receives the address of the first trusted proxy that sends a request without the address of its client. */
  readonly onMissingClientAddress?: (address: string) => void;
  /** Receives the lines of handlers. Default: they are discarded. */
  readonly logger?: Logger | undefined;
  /** `undefined` if CORS is disabled. */
  readonly cors?: ReturnType<typeof cors> | undefined;
  /** Called for each request when its response has been sent, or its client has disconnected. */
  readonly onEnd: (context: RequestContext) => void;
}

/** Called for logs and metrics. */
export type HttpServerEvents = Pick<
  HttpServerOptions,
  'onEnd' | 'onMalformedRequest' | 'onUnparsedRequest' | 'onConnectionLimit' | 'onMissingClientAddress'
>;

/** Creates the HTTP server of an Express application. It does not listen yet. */
export function createHttpServer(
  app: Express,
  options: HttpServerOptions,
): { server: Server; connections: Connections } {
  const connections = new Connections(checkForwardedFor(app, options.onEnd, options.onMissingClientAddress));
  const clientErrors = new ClientErrors({ ...options, connections });
  const isProxy = (address: string) => isTrustedProxy(app, address);
  const limitConnection = limitConnections(options.connectionsPerAddressMax, isProxy, options.onConnectionLimit);
  const requestTimeoutMs = options.requestTimeoutSeconds * 1000;
  const scheduler = new RequestScheduler(({ request, response }) => void app(request, response));
  const listener = createListener(options, scheduler, connections, clientErrors);
  const server = createServer(
    {
      ...expressClasses(app),
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      maxHeaderSize: parsedBytesMax,
      // Overrides the command line of Node.
      insecureHTTPParser: false,
      // Node's own response has no Error body; `findProtocolError` checks the header instead.
      requireHostHeader: false,
    },
    listener,
  );
  if (options.connectionsMax !== undefined) server.maxConnections = options.connectionsMax;
  // One line more than allowed is enough to reject the request.
  server.maxHeadersCount = headerLinesMax + 1;
  if (options.servesRoutes !== true) {
    // Lets a client that has closed its side receive its response. Undocumented in Node: by default, an HTTP server
    // then ends the connection before the response; `allowHalfOpen` of `net.Server` is not an option of an HTTP server.
    // Test: client-errors.test.ts ("closed its side").
    Object.assign(server, { httpAllowHalfOpen: true });
    server.setTimeout(stallTimeoutMs, (socket) => void clientErrors.handleStall(socket));
    // Otherwise, Node sends 100 Continue, because routes do not.
    server.on('checkContinue', listener);
  }
  server.on('connection', (socket: Socket) => {
    scheduler.accept();
    connections.add(socket);
    limitConnection(socket);
  });
  server.on('checkExpectation', listener);
  server.on('connect', (request, socket) => void clientErrors.rejectConnect(request, socket));
  server.on('clientError', (error, socket) => void clientErrors.handle(error, socket));
  return { server, connections };
}

/** The request listener: creates the request context, and passes the request to Express unless it is malformed. */
function createListener(
  { requestIds, cors, logger, servesRoutes, rateLimitHeaders = rateLimitFamilies.both }: HttpServerOptions,
  scheduler: RequestScheduler,
  connections: Connections,
  clientErrors: ClientErrors,
): RequestListener {
  return (request, response) => {
    const connection = connections.of(request.socket);
    if (!connections.accepts(request, connection)) return;
    const id = requestIds(request.headers['x-request-id']);
    const context = new RequestContext(request, response, id, connection, logger);
    context.rateLimitHeaders = rateLimitHeaders;
    connections.begin(context);
    cors?.(request, response);
    const error = findProtocolError(request);
    if (error !== undefined) {
      connection.isClosing = true;
      void clientErrors.reject(context, error);
      return;
    }
    // Node discards the bytes that it read together with an upgrade, so the next request could begin in the middle.
    // After an expectation, it closes the connection unless 100 Continue was sent.
    context.awaitsContinue = servesRoutes !== true && expectsContinue(request);
    if (request.headers.upgrade !== undefined || context.awaitsContinue) {
      connection.isClosing = true;
      context.closesConnection = true;
      announceClose(context);
    }
    if (servesRoutes !== true) normalizeTarget(context);
    scheduler.add(context);
  };
}

/**
 * Express supports the origin form of a request target only (RFC 9112, section 3.2), and does not decode
 * percent-encoded characters in the paths of its routes.
 */
function normalizeTarget(context: RequestContext): void {
  const { request, path } = context;
  if (!request.url?.startsWith(path)) request.url = originFormOf(context);
}

/**
 * Classes of requests and responses that are constructed with Express's prototypes. Express sets the prototype of each
 * request and response, which takes longer than all its other work, because V8 discards its optimizations; for these
 * classes it changes nothing.
 */
function expressClasses(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  class ExpressRequest extends IncomingMessage implements ContextRequest {
    [contextProperty]: RequestContext | undefined = undefined;
  }
  class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype as unknown as typeof app.request;
  app.response = ExpressResponse.prototype as typeof app.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

export interface ListenOptions {
  /** Default: every address. */
  readonly host?: string | undefined;
  /** 0 for a free port. */
  readonly port: number;
  /** The settings that the host and the port come from, for the error message. */
  readonly settings?: string;
  /** Receives errors of the server while it listens, such as that of a connection that cannot be accepted. */
  readonly report: Report;
}

/** Resolves with the origin of the address. @throws StartError if the server cannot listen on it. */
export async function listen(server: Server, { host, port, settings, report }: ListenOptions): Promise<string> {
  server.listen({ port, host, backlog: backlogMax });
  try {
    await once(server, 'listening');
  } catch (error) {
    const place = host === undefined ? `port ${String(port)}` : `${host} port ${String(port)}`;
    const advice = settings === undefined ? '' : ` See ${settings}.`;
    const message = `Cannot listen on ${place}: ${(error as Error).message}.${advice}`;
    throw new StartError(message, { cause: error });
  }
  server.on('error', report);
  const { address, family, port: actualPort } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(actualPort)}`;
}
