import { createServer, type RequestListener, type Server } from 'node:http';
import express from 'express';
import { ApiError } from '../../lib/errors.js';
import type { Readiness } from '../../observability/readiness.js';
import { responseText } from '../client-errors.js';
import type { ErrorResponses } from '../error-responses.js';
import { errorHandler } from '../middleware/error-handler.js';
import { readOnly } from '../middleware/method-not-allowed.js';
import { isHeadRequest, type ParserError, parserApiError } from '../parser-errors.js';
import { createRequestContext, type RequestContext } from '../request-context.js';
import { type RequestIds, requestIdHeader } from '../request-ids.js';
import { sendResponse } from '../send-response.js';
import { healthChecks, monitoring } from './health-checks.js';

/** Maximum time for a request to arrive, and for an idle connection to stay open, in milliseconds. */
const requestTimeoutMs = 5000;
const keepAliveTimeoutMs = 65_000;
/** Interval between Node's checks for slow connections, and maximum time without any data, in milliseconds. */
const timeoutCheckMs = 1000;
const stallTimeoutMs = 10_000;
const connectionsMax = 100;

export interface MetricsServerOptions {
  /** Returns the metrics in the exposition format of Prometheus. */
  readonly readMetrics: () => Promise<{ readonly mediaType: string; readonly text: string }>;
  readonly readiness: Readiness;
  readonly requestIds: RequestIds;
  readonly errors: ErrorResponses;
  /** Called when the response of a request has been sent, or its client has disconnected. */
  readonly onEnd: (context: RequestContext) => void;
}

/** The server for monitoring, on a separate address: `/metrics` and the health checks. */
export function createMetricsServer(options: MetricsServerOptions): Server {
  const { readMetrics, readiness, requestIds, errors, onEnd } = options;
  const app = express().disable('x-powered-by').enable('case sensitive routing').enable('strict routing');
  app
    .route('/metrics')
    .get(monitoring, async (_request, response) => {
      const { mediaType, text } = await readMetrics();
      sendResponse(response, { status: 200, mediaType, body: text });
    })
    .all(readOnly());
  app.use(healthChecks(readiness), notFound, errorHandler(errors));
  const receive: RequestListener = (request, response) => {
    const context = createRequestContext(request, response, requestIds.of(request.headers['x-request-id']));
    response.once('close', () => onEnd(context));
    app(request, response);
  };
  const server = createServer(
    {
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      // Node's own response to a missing Host header has no Error body.
      requireHostHeader: false,
    },
    receive,
  );
  server.maxConnections = connectionsMax;
  server.setTimeout(stallTimeoutMs);
  server.on('checkContinue', receive).on('checkExpectation', receive);
  server.on('clientError', (error: ParserError, socket) => {
    const headers = { [requestIdHeader]: requestIds.of(undefined) };
    if (socket.writable) socket.end(responseText(errors.from(parserApiError(error)), headers, isHeadRequest(error)));
    else socket.destroy();
  });
  return server;
}

function notFound(): never {
  throw new ApiError('route_not_found', 'No route matches. This server has only /metrics, /healthz and /readyz.');
}
