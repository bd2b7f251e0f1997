import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cors } from '../middleware/cors.js';
import { type Exchange, openExchange } from '../request-context.js';
import type { RequestIds } from '../request-ids.js';
import type { Connections } from './connections.js';
import type { WireRules } from './protocol-checks.js';

export interface FrontDoorParts {
  readonly requestIds: RequestIds;
  readonly connections: Connections;
  readonly wireRules: WireRules;
  /** Absent where no other origin is let in. */
  readonly cors: Cors | undefined;
  /** Told of each exchange when its answer has left, or its client. */
  readonly onEnd: (exchange: Exchange) => void;
}

/** Where every request comes in and every exchange ends, whatever it asks for. */
export class FrontDoor {
  private count = 0;

  constructor(private readonly parts: FrontDoorParts) {}

  /** How many exchanges have not ended. */
  get inFlight(): number {
    return this.count;
  }

  readonly receive = (request: IncomingMessage, response: ServerResponse): void => {
    const { requestIds, connections, wireRules, cors, onEnd } = this.parts;
    if (!connections.takes(request)) return;
    const exchange = openExchange(request, response, requestIds.of(request.headers['x-request-id']));
    exchange.fault = wireRules.faultOf(request);
    if (exchange.fault !== undefined || losesRest(request)) connections.endAfter(exchange);
    // Express reads the origin form of a request target alone (RFC 9112, section 3.2).
    else if (!request.url?.startsWith('/'))
      request.url = exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`;
    cors?.allow(exchange);
    this.count += 1;
    response.once('close', () => {
      this.count -= 1;
      onEnd(exchange);
      connections.advance(exchange);
    });
    connections.queue(exchange);
  };
}

/**
 * Node takes no further request from the bytes that it read together with one that asks for another protocol. What the
 * client sends next could then begin in the middle of a request, so the connection ends with the answer.
 */
function losesRest({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined;
}
