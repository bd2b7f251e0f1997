import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connections } from './connections.js';
import type { Cors } from './cors.js';
import { type Exchange, openExchange } from './exchange.js';
import type { RequestIds } from './request-ids.js';

export interface FrontDoorParts {
  readonly requestIds: RequestIds;
  readonly connections: Connections;
  /** Absent where no other origin is let in. */
  readonly cors: Cors | undefined;
  /** Told of each exchange when its answer has left, or its client. */
  readonly onEnd: (exchange: Exchange) => void;
}

/** Where every request comes in and every exchange ends, whatever it asks for. */
export class FrontDoor {
  constructor(private readonly parts: FrontDoorParts) {}

  readonly receive = (request: IncomingMessage, response: ServerResponse): void => {
    const { requestIds, connections, cors, onEnd } = this.parts;
    const exchange = openExchange(request, response, requestIds.of(request.headers['x-request-id']));
    cors?.allow(exchange);
    response.once('close', () => {
      onEnd(exchange);
      connections.advance(exchange);
    });
    connections.queue(exchange);
  };
}
