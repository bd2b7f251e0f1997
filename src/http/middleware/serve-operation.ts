import type { RequestHandler } from 'express';
import type { Request as BackendRequest } from 'openapi-backend';
import type { ApiRequest } from '../../openapi/compiled-router.js';
import type { Api } from '../../openapi/create-api.js';
import { type HttpResponse, requireContext } from '../request-context.js';
import { sendResponse } from '../send-response.js';

/**
 * Passes the request and its context to openapi-backend: 404, 405, 400, 501, or the response of the operation's
 * handler.
 */
export function serveOperation(api: Api): RequestHandler {
  return (request, response, next) => {
    const context = requireContext(request);
    const { path, query, body, match } = context;
    if (match === undefined) throw new TypeError('The request was not matched.');
    const { method, headers } = request;
    const apiRequest: ApiRequest = {
      method,
      path,
      query,
      headers: headers as BackendRequest['headers'],
      body: body.value,
      match,
    };
    api
      .handleRequest(apiRequest, context)
      .then((reply: HttpResponse) => sendResponse(response, reply))
      .catch(next);
  };
}
