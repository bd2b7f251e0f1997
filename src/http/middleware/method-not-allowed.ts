import type { RequestHandler } from 'express';
import { ApiError } from '../../lib/errors.js';
import { sendResponse } from '../send-response.js';

const readMethods = 'GET, HEAD, OPTIONS';

/**
 * Handles the methods of a route that has only GET and HEAD: 204 for OPTIONS, 405 for every other method.
 *
 * @param headers headers of the response to OPTIONS in addition to `Allow`.
 */
export function readOnly(headers: Readonly<Record<string, string>> = {}): RequestHandler {
  return ({ method }, response) => {
    if (method !== 'OPTIONS') throw methodNotAllowed(readMethods);
    sendResponse(response, { status: 204, headers: { Allow: readMethods, ...headers } });
  };
}

/** 405. @param allow the methods of the path, as in the `Allow` header. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', `This path supports only ${allow}.`, { headers: { Allow: allow } });
}
