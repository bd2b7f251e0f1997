import type { ErrorRequestHandler } from 'express';
import type { ErrorResponses } from '../error-responses.js';
import { requestContextOf } from '../request-context.js';
import { sendResponse } from '../send-response.js';
import { clientAddressOf } from './client-address.js';
import { ClientDisconnected } from './json-body.js';
import type { RateLimiter } from './rate-limiter.js';

/** Sends the Error body for whatever was thrown. Express recognizes an error handler by its four parameters. */
export function errorHandler(errors: ErrorResponses): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const context = requestContextOf(request);
    // The client has disconnected, or its request is rejected already because the rest of it is no proper HTTP.
    if (error instanceof ClientDisconnected || context.protocolError !== undefined) return;
    if (response.headersSent) {
      errors.report(error, context.id);
      response.destroy();
      return;
    }
    sendResponse(context, errors.from(error, context.id));
  };
}

/**
 * Runs before `errorHandler`: adds the limits that hold for the client of a request that was not counted, such as one
 * whose key cannot be looked up.
 */
export function readLimits(limiter: RateLimiter): ErrorRequestHandler {
  return async (error: unknown, request, _response, next) => {
    const context = requestContextOf(request);
    context.decision ??= await limiter.peek(context.client ?? limiter.addressOf(clientAddressOf(request)));
    next(error);
  };
}
