import type { ErrorRequestHandler } from 'express';
import { ClientDisconnected, type ErrorResponses } from '../error-responses.js';
import { requireContext } from '../request-context.js';
import { sendResponse } from '../send-response.js';

/** Sends the Error response for an error. Express recognizes an error handler by its four parameters. */
export function errorHandler(errors: ErrorResponses): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const context = requireContext(request);
    // Without a response as well, as after a disconnect.
    context.concurrency?.leave(context);
    if (!(error instanceof ClientDisconnected)) sendResponse(response, errors.from(error, context.id));
  };
}
