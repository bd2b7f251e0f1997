import type { RequestHandler } from 'express';
import { requireContext } from '../request-context.js';
import { sendResponse } from '../wire/send-response.js';
import { routeNotFound } from './routing-errors.js';

/**
 * Returns 404 for a path that no route matches.
 *
 * @param methods the `Allow` header of the response to `OPTIONS *` (RFC 9110, section 9.3.7).
 * @param hasReference whether the message may refer to the API reference.
 */
export function notFound(methods: string, hasReference: boolean): RequestHandler {
  return (request, response) => {
    const { path } = requireContext(request);
    if (request.method !== 'OPTIONS' || path !== '*') throw routeNotFound(request.method, path, hasReference);
    sendResponse(response, { status: 204, headers: { Allow: methods } });
  };
}
