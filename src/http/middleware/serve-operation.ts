import type { RequestHandler } from 'express';
import type { Request as BackendRequest } from 'openapi-backend';
import type { ApiRequest, Match } from '../../openapi/compiled-router.js';
import type { Api, ApiCall } from '../../openapi/create-api.js';
import { type Exchange, exchangeOf, type HttpReply, subjectOf } from '../request-context.js';
import { sendResponse } from '../send-response.js';

/** What the handlers of openapi-backend receive here besides its context. */
export interface OperationCall extends ApiCall {
  readonly exchange: Exchange;
}

/** Hands the request to openapi-backend: 404, 405, 401, 410, 400, 501, or the response of the operation's handler. */
export function serveOperation(api: Api): RequestHandler {
  return async (request) => {
    const exchange = exchangeOf(request);
    const match = matchOf(exchange);
    const { path, query, body, identity } = exchange;
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
      exchange,
      match,
      authentication: typeof identity === 'string' ? identity : 'valid key',
      origin: { budgetId: subjectOf(request).id, bodyBytes: body.bytes },
    };
    sendResponse(exchange, (await api.handleRequest(apiRequest, call)) as HttpReply);
  };
}

/** @throws TypeError for a request that did not pass `matchOperation`. */
function matchOf({ match }: Exchange): Match {
  if (match === undefined) throw new TypeError('The request was not matched.');
  return match;
}
