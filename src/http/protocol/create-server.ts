import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { ContextRequest, RequestContext } from '../request-context.js';
import type { ClientErrors } from './client-errors.js';
import type { Connections } from './connections.js';
import type { RequestListener } from './request-listener.js';

/** How long a client may take for the headers, and for the whole request, in milliseconds. */
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 50_000;
/**
 * How long nothing at all may move on a connection in use, in milliseconds. Where answers are waiting to be read, Node
 * notices in the second such time that nothing did.
 */
const stallTimeoutMs = 25_000;
/**
 * How long a connection is kept for a further request, in milliseconds: longer than balancers do, which keep theirs for
 * 60 s.
 */
const keepAliveTimeoutMs = 65_000;
/**
 * Where Node's parser gives up on a request line and headers, in bytes: well beyond the bounds of the contract, which
 * say what was too long.
 */
const parsedBytesMax = 32 * 1024;
/** How often Node looks for connections that are too slow, in milliseconds: a timeout may take so much longer. */
const timeoutCheckMs = 5000;

export interface HttpServerOptions {
  readonly app: Express;
  readonly requestListener: RequestListener;
  readonly connections: Connections;
  readonly clientErrors: ClientErrors;
  /** Beyond, connections are closed as soon as they are made. */
  readonly connectionsMax: number;
  readonly headerLinesMax: number;
}

/** The HTTP server for an express application. */
export function createHttpServer(parts: HttpServerOptions): Server {
  const { app, requestListener, connections, clientErrors, connectionsMax, headerLinesMax } = parts;
  const classes = expressClasses(app, connections, clientErrors);
  const server = createServer(
    {
      ...classes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      maxHeaderSize: parsedBytesMax,
      // Whatever the command line of Node says.
      insecureHTTPParser: false,
      // Node's own answer would be no Error body; the wire rules look at it.
      requireHostHeader: false,
    },
    requestListener.handle,
  );
  server.setTimeout(stallTimeoutMs, (socket) => void clientErrors.closeStalled(socket));
  server.maxConnections = connectionsMax;
  connections.attach(server, requestListener.serve);
  // Node forgets the address of a connection that is gone, unless it was asked for it before; the log names it at the
  // end.
  server.on('connection', (socket) => socket.remoteAddress);
  // A client that closes its side after a request still waits for the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  // What is beyond it, Node need not parse: one line more than allowed is enough to reject the request.
  server.maxHeadersCount = headerLinesMax + 1;
  server.on('checkContinue', requestListener.handle).on('checkExpectation', requestListener.handle);
  server.on('connect', (request, socket) => void clientErrors.rejectConnect(request, socket));
  server.on('clientError', (error, socket) => void clientErrors.handle(error, socket));
  return server;
}

/**
 * Classes of requests and responses that have express's prototypes from birth. Express sets the prototype of each one,
 * which costs more than all else that it does, because V8 gives up what it knew about the object; on these it changes
 * nothing.
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
     * Node's parser pushes each chunk of a body as it finds it. Of what was read from the connection at once, only
     * chunks make several pieces: a client whose bytes come one by one sends no chunks thereby. The rest of a body with
     * too many of them is thrown away, and its end too.
     */
    override push(chunk: unknown, encoding?: BufferEncoding): boolean {
      if (this.chunks === clientErrors.bodyChunksMax) return true;
      const { bytesRead } = this.socket;
      if (bytesRead === this.bytesRead && chunk !== null) this.chunks += 1;
      this.bytesRead = bytesRead;
      if (this.chunks < clientErrors.bodyChunksMax) return super.push(chunk, encoding);
      void clientErrors.rejectChunks(this);
      // Nothing more is read from the connection until the response has left.
      return false;
    }
  }
  class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, ...rest: never[]): this {
      // A client that is not told to leave goes on asking on its connection until that is cut, and loses an answer.
      if (connections.closesAfter(this.req)) this.shouldKeepAlive = false;
      return super.writeHead(status, ...(rest as []));
    }
  }
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype as unknown as typeof app.request;
  app.response = ExpressResponse.prototype as typeof app.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
