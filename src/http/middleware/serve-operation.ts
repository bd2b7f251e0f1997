import type { RequestHandler } from 'express';
import type { Request as BackendRequest } from 'openapi-backend';
import type { ApiRequest, Match } from '../../openapi/compiled-router.js';
import type { Api, RequestDetails } from '../../openapi/create-api.js';
import { type HttpResponse, type RequestContext, requireClient, requireContext } from '../request-context.js';
import { sendResponse } from '../send-response.js';

/** The second argument of openapi-backend's handlers. */
export interface OperationCall extends RequestDetails {
  readonly context: RequestContext;
}

/** Passes the request to openapi-backend: 404, 405, 401, 410, 400, 501, or the response of the operation's handler. */
export function serveOperation(api: Api): RequestHandler {
  return (request, response, next) => {
    const context = requireContext(request);
    const match = requireMatch(context);
    const { path, query, body, authentication } = context;
    const { method, headers } = request;
    const apiRequest: ApiRequest = {
      method,
      path,
      query,
      headers: headers as BackendRequest['headers'],
      body: body.value,
      match,
    };
    const call: OperationCall = {
      context,
      match,
      authentication: typeof authentication === 'object' ? 'valid key' : (authentication ?? 'missing key'),
      metadata: { quotaId: requireClient(request).id, bodyBytes: body.bytes },
    };
    api
      .handleRequest(apiRequest, call)
      .then((reply: HttpResponse) => sendResponse(response, reply))
      .catch(next);
  };
}

/** @throws TypeError for a request that did not pass `matchOperation`. */
function requireMatch({ match }: RequestContext): Match {
  if (match === undefined) throw new TypeError('The request was not matched.');
  return match;
}
