import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { Cors } from '../middleware/cors.js';
import { createRequestContext, type RequestContext } from '../request-context.js';
import type { RequestIds } from '../request-ids.js';
import type { ClientErrors } from './client-errors.js';
import type { Connections } from './connections.js';
import type { ProtocolChecks } from './protocol-checks.js';

export interface RequestListenerOptions {
  readonly app: Express;
  readonly requestIds: RequestIds;
  readonly connections: Connections;
  readonly clientErrors: ClientErrors;
  readonly protocolChecks: ProtocolChecks;
  /** Absent where no other origin is let in. */
  readonly cors: Cors | undefined;
  /** Told of each exchange when its answer has left, or its client. */
  readonly onEnd: (context: RequestContext) => void;
}

/** Where every request comes in and every exchange ends, whatever it asks for. */
export class RequestListener {
  private count = 0;

  constructor(private readonly parts: RequestListenerOptions) {}

  /** How many exchanges have not ended. */
  get inFlight(): number {
    return this.count;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { requestIds, connections, protocolChecks, cors, onEnd } = this.parts;
    if (!connections.accepts(request)) return;
    const context = createRequestContext(request, response, requestIds.of(request.headers['x-request-id']));
    context.protocolError = protocolChecks.findError(request);
    if (context.protocolError !== undefined || requestsUpgrade(request)) connections.closeAfter(context);
    // Express reads the origin form of a request target alone (RFC 9112, section 3.2).
    else if (!request.url?.startsWith('/'))
      request.url = context.query === '' ? context.path : `${context.path}?${context.query}`;
    cors?.allow(context);
    this.count += 1;
    response.once('close', () => {
      this.count -= 1;
      onEnd(context);
      connections.advance(context);
    });
    connections.queue(context);
  };

  /** Serves a request when it is its turn. */
  readonly serve = (context: RequestContext): void => {
    const { app, clientErrors } = this.parts;
    if (context.protocolError === undefined) app(context.request, context.response);
    else void clientErrors.reject(context, context.protocolError);
  };
}

/**
 * Node takes no further request from the bytes that it read together with one that asks for another protocol. What the
 * client sends next could then begin in the middle of a request, so the connection ends with the answer.
 */
function requestsUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined;
}
