import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { ContractDocument } from '../../openapi/document.js';
import type { AddressLimit } from '../address-limit.js';
import { isTrustedProxy } from '../middleware/client-address.js';
import { cors } from '../middleware/cors.js';
import type { ErrorResponses } from '../middleware/error-handler.js';
import type { ContextRequest, RequestContext } from '../request-context.js';
import type { RequestIds } from '../request-ids.js';
import { ClientErrors, type ClientErrorsOptions } from './client-errors.js';
import { Connections } from './connections.js';
import { FairScheduler } from './fair-scheduler.js';
import { ProtocolChecks } from './protocol-checks.js';
import { RequestListener, type RequestListenerOptions } from './request-listener.js';
import { retainTickObject } from './tick-object.js';

/** Maximum time for the headers, and for the whole request, to arrive, in milliseconds. */
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 50_000;
/**
 * Maximum time without any data on a connection in use, in milliseconds. While a response waits to be read, Node
 * notices it after twice this time.
 */
const stallTimeoutMs = 25_000;
/** How long an idle connection stays open, in milliseconds: longer than the 60 s of common load balancers. */
const keepAliveTimeoutMs = 65_000;
/** Maximum size of the request line and the headers for Node's parser, in bytes: above the limits of the contract. */
const parsedBytesMax = 32 * 1024;
/** Interval between Node's checks for slow connections, in milliseconds: a timeout may take so much longer. */
const timeoutCheckMs = 5000;

export interface HttpServerOptions {
  readonly document: ContractDocument;
  readonly errors: ErrorResponses;
  readonly addressLimit: AddressLimit;
  readonly requestIds: RequestIds;
  /** Further connections are closed as soon as they are accepted. */
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** The origins whose pages may call the service. */
  readonly corsOrigins: readonly string[];
  readonly onEnd: RequestListenerOptions['onEnd'];
  readonly onClientError: ClientErrorsOptions['onClientError'];
}

/** Creates the HTTP server of an Express application. */
export function createHttpServer(app: Express, options: HttpServerOptions) {
  const { document, errors, addressLimit, requestIds, onEnd, onClientError } = options;
  const { connectionsMax, connectionsPerAddressMax, corsOrigins } = options;
  const requestLimits = document['x-request-limits'];
  const isProxy = (address: string) => isTrustedProxy(app, address);
  const connections = new Connections(new FairScheduler({ connectionsMax, connectionsPerAddressMax, isProxy }));
  const clientErrors = new ClientErrors({
    errors,
    addressLimit,
    requestIds,
    connections,
    requestLimits,
    onClientError,
  });
  const requestListener = new RequestListener({
    app,
    requestIds,
    connections,
    clientErrors,
    protocolChecks: new ProtocolChecks(requestLimits),
    cors: corsOrigins.length === 0 ? undefined : cors(corsOrigins, document),
    onEnd,
  });
  retainTickObject();
  const server = createServer(
    {
      ...expressClasses(app, connections, clientErrors),
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      maxHeaderSize: parsedBytesMax,
      // Overrides the command line of Node.
      insecureHTTPParser: false,
      // Node's own response has no Error body; `ProtocolChecks` checks the header instead.
      requireHostHeader: false,
    },
    requestListener.handle,
  );
  server.setTimeout(stallTimeoutMs, (socket) => void clientErrors.closeStalled(socket));
  server.maxConnections = connectionsMax;
  connections.attach(server, requestListener.serve);
  // Undocumented in Node: by default, an HTTP server ends a connection whose client has closed its side, before the
  // response. `allowHalfOpen` of `net.Server` is not an option of an HTTP server. Test: client-errors.test.ts ("closed
  // its side").
  Object.assign(server, { httpAllowHalfOpen: true });
  // One line more than allowed is enough to reject the request.
  server.maxHeadersCount = requestLimits.headerLinesMax + 1;
  server.on('checkContinue', requestListener.handle).on('checkExpectation', requestListener.handle);
  server.on('connect', (request, socket) => void clientErrors.rejectConnect(request, socket));
  server.on('clientError', (error, socket) => void clientErrors.handle(error, socket));
  return { server, connections, requestListener };
}

/**
 * Classes of requests and responses that are constructed with Express's prototypes. Express sets the prototype of each
 * request and response, which takes longer than all its other work, because V8 discards its optimizations; for these
 * classes it changes nothing.
 */
function expressClasses(
  app: Express,
  connections: Connections,
  clientErrors: ClientErrors,
): { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse } {
  class ExpressRequest extends IncomingMessage implements ContextRequest {
    context: RequestContext | undefined = undefined;
    private bytesRead = -1;
    private chunks = 0;

    /**
     * Counts the chunks of a body. Only chunks produce several pieces from one read of the connection, so a client
     * whose bytes arrive one by one is not affected. The rest of a body with too many chunks is discarded.
     *
     * Undocumented in Node: its parser calls `push` for each chunk. There is no public API that reports chunks. Test:
     * client-errors.test.ts ("chunks").
     */
    override push(chunk: unknown, encoding?: BufferEncoding): boolean {
      if (this.chunks === clientErrors.bodyChunksMax) return true;
      const { bytesRead } = this.socket;
      if (bytesRead === this.bytesRead && chunk !== null) this.chunks += 1;
      this.bytesRead = bytesRead;
      if (this.chunks < clientErrors.bodyChunksMax) return super.push(chunk, encoding);
      void clientErrors.rejectChunks(this);
      // Stops reading from the connection until the response has been sent.
      return false;
    }
  }
  class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, ...rest: never[]): this {
      // Without `Connection: close`, a client would send further requests during a shutdown, and lose a response.
      if (connections.mustClose(this.req)) this.shouldKeepAlive = false;
      return super.writeHead(status, ...(rest as []));
    }
  }
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype as unknown as typeof app.request;
  app.response = ExpressResponse.prototype as typeof app.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
