import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Exchange, openExchange } from './exchange.js';
import type { RequestIds } from './request-ids.js';

export interface FrontDoorParts {
  readonly requestIds: RequestIds;
  /** Answers a request. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** Told of each exchange when its answer has left, or its client. */
  readonly onEnd: (exchange: Exchange) => void;
}

/** Where every request comes in and every exchange ends, whatever it asks for. */
export class FrontDoor {
  constructor(private readonly parts: FrontDoorParts) {}

  readonly receive = (request: IncomingMessage, response: ServerResponse): void => {
    const id = this.parts.requestIds.of(request.headers['x-request-id']);
    const exchange = openExchange(request, response, id);
    response.once('close', () => this.parts.onEnd(exchange));
    this.parts.serve(request, response);
  };
}
