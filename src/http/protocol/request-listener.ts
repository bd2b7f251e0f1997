import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CorsMiddleware } from '../middleware/cors.js';
import { createRequestContext, type RequestContext } from '../request-context.js';
import type { RequestIds } from '../request-ids.js';
import type { ClientErrors } from './client-errors.js';
import type { Connections } from './connections.js';
import type { ProtocolChecks } from './protocol-checks.js';

export interface RequestListenerOptions {
  readonly app: (request: IncomingMessage, response: ServerResponse) => void;
  readonly requestIds: RequestIds;
  readonly connections: Connections;
  readonly clientErrors: ClientErrors;
  readonly protocolChecks: ProtocolChecks;
  /** `undefined` if CORS is disabled. */
  readonly cors: CorsMiddleware | undefined;
  /** Called for each request when its response has been sent, or its client has disconnected. */
  readonly onEnd: (context: RequestContext) => void;
}

/** The headers are set synchronously; nothing runs after that. */
const noNext = () => undefined;

/** The request listener of the HTTP server: creates the request context and passes the request to Express. */
export class RequestListener {
  private count = 0;

  constructor(private readonly options: RequestListenerOptions) {}

  /** The number of requests in progress. */
  get inFlight(): number {
    return this.count;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { requestIds, connections, protocolChecks, cors, onEnd } = this.options;
    if (!connections.accepts(request)) return;
    const context = createRequestContext(request, response, requestIds.of(request.headers['x-request-id']));
    context.protocolError = protocolChecks.findError(request);
    if (context.protocolError !== undefined || requestsUpgrade(request)) connections.closeAfter(context);
    // Express supports the origin form of a request target only (RFC 9112, section 3.2), and does not decode
    // percent-encoded characters in the paths of its routes.
    else if (!request.url?.startsWith(context.path))
      request.url = context.query === '' ? context.path : `${context.path}?${context.query}`;
    cors?.(request, response, noNext);
    this.count += 1;
    response.once('close', () => {
      this.count -= 1;
      onEnd(context);
      connections.advance(context);
    });
    connections.enqueue(context);
  };

  /** Serves a request when it is its turn. */
  readonly serve = (context: RequestContext): void => {
    const { app, clientErrors } = this.options;
    if (context.protocolError === undefined) app(context.request, context.response);
    else void clientErrors.reject(context, context.protocolError);
  };
}

/**
 * Whether a request has an `Upgrade` header, which closes the connection after its response.
 *
 * Undocumented in Node: without an `upgrade` listener it serves such a request, and discards the rest of the bytes that
 * it read together with it. What the client sends next could then begin in the middle of a request. Test:
 * request-listener.test.ts ("Upgrade").
 */
function requestsUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined;
}
