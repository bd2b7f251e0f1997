import { type RequestHandler, Router } from 'express';
import { ApiError } from '../../lib/errors.js';
import type { Readiness } from '../../observability/readiness.js';
import { readOnly } from '../middleware/not-found.js';
import { requireContext } from '../request-context.js';
import { sendResponse } from '../send-response.js';

/** `/healthz` (liveness) and `/readyz` (readiness), for load balancers and orchestrators. */
export function healthChecks(readiness: Readiness): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/healthz')
    .get(monitoring, (_request, response) => sendResponse(response, { status: 200, body: '{"status":"ok"}' }))
    .all(readOnly());
  router
    .route('/readyz')
    .get(monitoring, async (_request, response) => {
      const message = 'The server is stopping, or its storage is unavailable. Send requests to another server.';
      if (!(await readiness.check())) throw new ApiError('not_ready', message, { headers: { 'Retry-After': '1' } });
      sendResponse(response, { status: 200, body: '{"status":"ready"}' });
    })
    .all(readOnly());
  return router;
}

/** Marks a request as one of a monitoring system, which is logged at the debug level only. */
export const monitoring: RequestHandler = (request, _response, next) => {
  requireContext(request).isMonitoring = true;
  next();
};
