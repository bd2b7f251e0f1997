import type { RequestHandler } from 'express';
import { methodNotAllowed } from '../api-errors.js';
import { sendResponse } from '../send-response.js';

const allow = 'GET, HEAD, OPTIONS';

/**
 * Handles the methods of a route that has only GET and HEAD: 204 for OPTIONS, 405 for every other method.
 *
 * @param headers headers of the response to OPTIONS in addition to `Allow`.
 */
export function readOnly(headers: Readonly<Record<string, string>> = {}): RequestHandler {
  return ({ method }, response) => {
    if (method !== 'OPTIONS') throw methodNotAllowed(allow);
    sendResponse(response, { status: 204, headers: { Allow: allow, ...headers } });
  };
}
