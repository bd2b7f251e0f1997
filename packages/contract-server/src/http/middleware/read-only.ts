import type { RequestHandler } from 'express';
import { methodNotAllowed } from '../errors/routing-errors.js';
import { sendResponse } from '../wire/send-response.js';

/** Handles the methods of a route that has only GET and HEAD: 204 for OPTIONS, 405 for every other method. */
export const readOnly: RequestHandler = ({ method }, response) => {
  const allow = 'GET, HEAD, OPTIONS';
  if (method !== 'OPTIONS') throw methodNotAllowed(allow);
  sendResponse(response, { status: 204, headers: { Allow: allow } });
};
