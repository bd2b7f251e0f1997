import { ApiError, type Report, toError } from '@contract-server/core/lib/errors.js';
import { invalidRequest } from '@contract-server/core/schema/validation-messages.js';
import type { NextFunction, Request, RequestHandler } from 'express';
import type { Request as BackendRequest } from 'openapi-backend';
import type { ApiRequest } from '../../backend/compiled-router.js';
import type { Api, LifecycleHandlers } from '../../backend/create-api.js';
import type { ErrorResponses } from '../errors/error-responses.js';
import { methodNotAllowed, routeNotFound } from '../errors/routing-errors.js';
import { type AnyResponse, type HttpResponse, type RequestContext, requireContext } from '../request-context.js';
import { setValidated } from '../validated-request.js';
import { setStandardHeaders } from '../wire/response-headers.js';
import { sendAny } from '../wire/send-any.js';

/**
 * Passes the request and its context to openapi-backend: 404, 405, 400, 501, or the response of the operation's
 * handler. For the handler `'next'`, it passes the request on to the next route of the application.
 *
 * @param report receives the error of a stream or a file that ends before it is complete.
 */
export function serveOperation(api: Api, report: Report): RequestHandler {
  return (request, response, next) => {
    const context = requireContext(request);
    const { path, query, body, match } = context;
    if (match === undefined) throw new TypeError('The request was not matched.');
    const { method } = request;
    const headers = request.headers as BackendRequest['headers'];
    const apiRequest: ApiRequest = {
      method,
      path,
      query,
      headers,
      body: body.value,
      bodyRule: body.rule,
      match,
    };
    api
      .handleRequest(apiRequest, context)
      .then((reply: AnyResponse | undefined) => {
        if (reply !== undefined) return sendAny(response, reply, report);
        passOn(context, request, next);
        return undefined;
      })
      .catch((error: unknown) => next(toError(error)));
  };
}

/**
 * Passes a validated request on. Its body was read, so `request.body` is the validated one, and parsers of bodies such
 * as `express.json()` leave it: those of Express 4 by `_body`.
 */
function passOn(context: RequestContext, request: Request, next: NextFunction): void {
  const { validated, match, response } = context;
  context.concurrency?.leave(context);
  setStandardHeaders(response, context);
  setValidated(request, validated);
  const hasBody = match?.kind === 'operation' && match.operation.bodies.length > 0;
  // Also if it was empty.
  if (hasBody && request.readableEnded) Object.assign(request, { body: validated?.values.body, _body: true });
  next('router');
}

/**
 * openapi-backend's handlers for requests that reach no operation handler. They return the response to send: an error
 * that is thrown passes through three promises of the library, which takes 2 to 9 µs.
 */
export function createLifecycleHandlers(errors: ErrorResponses, hasReference: boolean): LifecycleHandlers {
  return {
    notFound: ({ request: { method, path } }, context) =>
      errors.from(routeNotFound(method, path, hasReference), context),
    methodNotAllowed: ({ request: { method } }, context): HttpResponse => {
      const { match } = context;
      const allow = match?.kind === 'method not allowed' ? match.allow : '';
      if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow } };
      return errors.from(methodNotAllowed(allow), context);
    },
    validationFail: ({ validation }, context) => errors.from(invalidRequest(validation.errors ?? []), context),
    notImplemented: ({ operation: { operationId = '' } }, context) =>
      errors.from(new ApiError('not_implemented', `${operationId} is not implemented. Do not call it yet.`), context),
  };
}
