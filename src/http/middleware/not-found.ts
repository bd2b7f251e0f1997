import type { RequestHandler } from 'express';
import { routeNotFound } from '../api-error-handlers.js';
import { exchangeOf } from '../request-context.js';
import { sendResponse } from '../send-response.js';

/**
 * 404 for a path that no route matches.
 *
 * @param methods what `OPTIONS *` returns as `Allow` (RFC 9110, section 9.3.7).
 */
export function notFound(methods: string): RequestHandler {
  return (request) => {
    const exchange = exchangeOf(request);
    if (request.method !== 'OPTIONS' || exchange.path !== '*') throw routeNotFound();
    sendResponse(exchange, { status: 204, headers: { Allow: methods } });
  };
}
