import type { RequestHandler } from 'express';
import { ApiError, malformedUrl } from '../../lib/errors.js';
import { ownPaths } from '../../openapi/own-paths.js';
import { truncate } from '../../openapi/validation-messages.js';
import { requireContext } from '../request-context.js';
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

/** 404: no route matches the path; or 400, if it cannot be decoded. */
export function routeNotFound(method: string, path: string): ApiError {
  try {
    decodeURIComponent(path);
  } catch {
    return malformedUrl();
  }
  const message = `No route matches ${method} ${truncate(path)}. See ${ownPaths.docs} for the available paths.`;
  return new ApiError('route_not_found', message);
}

/** Handles the methods of a route that has only GET and HEAD: 204 for OPTIONS, 405 for every other method. */
export const readOnly: RequestHandler = ({ method }, response) => {
  const allow = 'GET, HEAD, OPTIONS';
  if (method !== 'OPTIONS') throw methodNotAllowed(allow);
  sendResponse(response, { status: 204, headers: { Allow: allow } });
};

/** 405. @param allow the methods of the path, as in the `Allow` header. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', `This path supports only ${allow}.`, { headers: { Allow: allow } });
}
