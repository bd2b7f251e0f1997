import { createServer, type RequestListener, type Server } from 'node:http';
import express from 'express';
import { ApiError } from '../../openapi/api-error.js';
import type { RequestLimits } from '../../openapi/document.js';
import type { ErrorResponses } from '../error-responses.js';
import { errorHandler } from '../middleware/error-handler.js';
import { responseText } from '../protocol/client-errors.js';
import { type ParserError, parserApiError } from '../protocol/parser-errors.js';
import { createRequestContext, type RequestContext } from '../request-context.js';
import { type RequestIds, requestIdHeader } from '../request-ids.js';
import { createRoutes, type Resources } from '../routes.js';

/** How long a request may take to arrive, and how long a connection is kept for the next one, in milliseconds. */
const requestTimeoutMs = 5000;
const keepAliveTimeoutMs = 65_000;
/**
 * How often Node looks for connections that are too slow, and how long nothing may move on one in use, in milliseconds.
 */
const timeoutCheckMs = 1000;
const stallTimeoutMs = 10_000;
const connectionsMax = 100;

export interface MetricsServerOptions {
  readonly resources: Resources;
  readonly requestIds: RequestIds;
  readonly errors: ErrorResponses;
  readonly requestLimits: RequestLimits;
  readonly onEnd: (context: RequestContext) => void;
}

/** The server for those who watch the service, on an address that clients do not see. */
export function createMetricsServer({
  resources,
  requestIds,
  errors,
  requestLimits,
  onEnd,
}: MetricsServerOptions): Server {
  const options = {
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // Node's own answer would be no Error body.
    requireHostHeader: false,
  };
  const app = express().disable('x-powered-by');
  app.use(createRoutes(resources), notFound, errorHandler(errors));
  const receive: RequestListener = (request, response) => {
    const context = createRequestContext(request, response, requestIds.of(request.headers['x-request-id']));
    response.once('close', () => onEnd(context));
    app(request, response);
  };
  const server = createServer(options, receive);
  server.maxConnections = connectionsMax;
  server.setTimeout(stallTimeoutMs);
  server.on('checkContinue', receive).on('checkExpectation', receive);
  server.on('clientError', (error: ParserError, socket) => {
    const { status, body } = errors.from(parserApiError(error, requestLimits));
    const headers = { [requestIdHeader]: requestIds.of(undefined), 'Cache-Control': 'no-store' };
    if (socket.writable) socket.end(responseText(status, headers, body));
    else socket.destroy();
  });
  return server;
}

function notFound(): never {
  throw new ApiError('route_not_found', 'There is no such path here but /metrics, /healthz and /readyz.');
}
