import type { RequestHandler } from 'express';
import { requireContext } from '../request-context.js';
import { routeNotFound } from '../routing-errors.js';
import { sendResponse } from '../send-response.js';

/**
 * Returns 404 for a path that no route matches.
 *
 * @param methods the `Allow` header of the response to `OPTIONS *` (RFC 9110, section 9.3.7).
 */
export function notFound(methods: string): RequestHandler {
  return (request, response) => {
    const { path } = requireContext(request);
    if (request.method !== 'OPTIONS' || path !== '*') throw routeNotFound(request.method, path);
    sendResponse(response, { status: 204, headers: { Allow: methods } });
  };
}
