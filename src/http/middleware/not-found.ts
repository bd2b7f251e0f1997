import type { RequestHandler } from 'express';
import { routeNotFound } from '../api-error-handlers.js';
import { requestContextOf } from '../request-context.js';
import { sendResponse } from '../send-response.js';

/**
 * 404 for a path that no route matches.
 *
 * @param methods what `OPTIONS *` returns as `Allow` (RFC 9110, section 9.3.7).
 */
export function notFound(methods: string): RequestHandler {
  return (request) => {
    const context = requestContextOf(request);
    if (request.method !== 'OPTIONS' || context.path !== '*') throw routeNotFound();
    sendResponse(context, { status: 204, headers: { Allow: methods } });
  };
}
