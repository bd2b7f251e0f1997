import { createServer, type Server } from 'node:http';
import { Refusal } from '../domain/refusal.js';
import type { ErrorReplies } from './errors.js';
import { type Exchange, openExchange } from './exchange.js';
import type { FixedPaths } from './fixed-paths.js';
import { writeReply } from './replies.js';
import type { RequestIds } from './request-ids.js';

/** How long a request may take to arrive, and how long a connection is kept for the next one, in milliseconds. */
const requestTimeoutMs = 5000;
const keepAliveTimeoutMs = 65_000;
const connectionsMax = 100;

export interface MetricsServerParts {
  readonly paths: FixedPaths;
  readonly requestIds: RequestIds;
  readonly errors: ErrorReplies;
  readonly onEnd: (exchange: Exchange) => void;
}

/** The server for those who watch the service, on an address that clients do not see. */
export function createMetricsServer({ paths, requestIds, errors, onEnd }: MetricsServerParts): Server {
  const timeouts = { headersTimeout: requestTimeoutMs, requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs };
  const server = createServer(timeouts, (request, response) => {
    const exchange = openExchange(request, response, requestIds.of(request.headers['x-request-id']));
    response.once('close', () => onEnd(exchange));
    if (paths.has(exchange.path)) void paths.serve(exchange);
    else writeReply(exchange, errors.from(unknownPath()));
  });
  server.maxConnections = connectionsMax;
  return server;
}

function unknownPath(): Refusal {
  return new Refusal('route_not_found', 'There is no such path here but /metrics, /healthz and /readyz.');
}
