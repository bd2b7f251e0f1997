import type { ErrorRequestHandler } from 'express';
import type { ErrorResponses } from '../error-responses.js';
import { requireContext } from '../request-context.js';
import { sendResponse } from '../send-response.js';
import { ClientDisconnected } from './json-body.js';

/** Sends the Error response for an error. Express recognizes an error handler by its four parameters. */
export function errorHandler(errors: ErrorResponses): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const context = requireContext(request);
    // Without a response as well, as after a disconnect.
    context.concurrency?.leave(context);
    // There is no client, or its request was already rejected because the rest of it is malformed.
    if (error instanceof ClientDisconnected || context.protocolError !== undefined) return;
    if (response.headersSent) {
      errors.report(error, context.id);
      response.destroy();
      return;
    }
    sendResponse(response, errors.from(error, context.id));
  };
}
