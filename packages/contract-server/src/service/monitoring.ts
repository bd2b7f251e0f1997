import type { Server } from 'node:http';
import { metricsPath, ownPaths } from '@contract-server/core/contract/own-paths.js';
import { ApiError } from '@contract-server/core/lib/errors.js';
import express, { type RequestHandler, Router } from 'express';
import { errorHandler } from '../http/errors/error-responses.js';
import { readOnly } from '../http/middleware/read-only.js';
import { requireContext } from '../http/request-context.js';
import { sendResponse } from '../http/wire/send-response.js';
import { createHttpServer, type HttpServerOptions } from '../http/wire/server.js';
import type { Metrics } from '../observability/metrics.js';
import type { Readiness } from '../observability/readiness.js';

/** Marks a request as one of a monitoring system, which is logged at the debug level only. */
const monitoring: RequestHandler = (request, _response, next) => {
  requireContext(request).isMonitoring = true;
  next();
};

/** They have the fields of an error, so that `status` has one type. */
const alive = '{"code":"alive","message":"The process responds.","status":200}';
const ready = '{"code":"ready","message":"The stores respond.","status":200}';

/** `/healthz` (liveness) and `/readyz` (readiness), for load balancers and orchestrators. */
export function healthChecks(readiness: Readiness): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route(ownPaths.liveness)
    .get(monitoring, (_request, response) => sendResponse(response, { status: 200, body: alive }))
    .all(readOnly);
  router
    .route(ownPaths.readiness)
    .get(monitoring, async (_request, response) => {
      const message = 'The server is stopping, or its storage is unavailable. Send requests to another server.';
      if (!(await readiness.check())) throw new ApiError('not_ready', message, { headers: { 'Retry-After': '1' } });
      sendResponse(response, { status: 200, body: ready });
    })
    .all(readOnly);
  return router;
}

/** Limits of the server for monitoring. */
const connectionsMax = 100;
const requestTimeoutSeconds = 10;

/** The server for monitoring, on a separate address: `/metrics` and the health checks. */
export function createMetricsServer(
  metrics: Metrics,
  readiness: Readiness,
  options: Pick<HttpServerOptions, 'errors' | 'requestIds' | 'onEnd'>,
): Server {
  const app = express().disable('x-powered-by').enable('case sensitive routing').enable('strict routing');
  app
    .route(metricsPath)
    .get(monitoring, async (_request, response) => {
      const { mediaType, text } = await metrics.expose();
      sendResponse(response, { status: 200, mediaType, body: text });
    })
    .all(readOnly);
  app.use(healthChecks(readiness), notFound, errorHandler(options.errors));
  const limits = { connectionsMax, connectionsPerAddressMax: 0, requestTimeoutSeconds };
  return createHttpServer(app, { ...options, ...limits }).server;
}

function notFound(): never {
  const { liveness, readiness } = ownPaths;
  const message = `No route matches. This server has only ${metricsPath}, ${liveness} and ${readiness}.`;
  throw new ApiError('route_not_found', message);
}
