import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { Exchange, ExchangeRequest } from './exchange.js';
import type { WireFaults } from './wire-faults.js';

/** How long a client may take for the headers, and for the whole request, in milliseconds. */
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 50_000;
/** How often Node looks for connections that are too slow, in milliseconds: a timeout may take so much longer. */
const timeoutCheckMs = 5000;

/** The HTTP server for an express application. Once it is closed, each answer that is still given ends its connection. */
export function createHttpServer(app: Express, receive: RequestListener, wireFaults: WireFaults): Server {
  const classes = expressClasses(app, () => !server.listening);
  const server: Server = createServer(
    {
      ...classes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
    },
    receive,
  );
  // A client that closes its side after a request still waits for the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('clientError', (error, socket) => void wireFaults.answer(error, socket));
  return server;
}

/**
 * Classes of requests and responses that have express's prototypes from birth. Express sets the prototype of each one, which costs
 * more than all else that it does, because V8 gives up what it knew about the object; on these it changes nothing.
 */
function expressClasses(
  app: Express,
  isStopping: () => boolean,
): { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse } {
  class ExpressRequest extends IncomingMessage implements ExchangeRequest {
    exchange: Exchange | undefined = undefined;
  }
  class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, ...rest: never[]): this {
      // A client that is not told to leave goes on asking on its connection until that is cut, and loses an answer.
      if (isStopping()) this.shouldKeepAlive = false;
      return super.writeHead(status, ...(rest as []));
    }
  }
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype as unknown as typeof app.request;
  app.response = ExpressResponse.prototype as typeof app.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
