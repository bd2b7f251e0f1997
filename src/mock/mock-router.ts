import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { Context } from 'openapi-backend';
import type { ApiKey } from '../api-keys/api-key.js';
import { bearerTokenOf } from '../api-keys/authenticator.js';
import type { ErrorResponses } from '../http/errors.js';
import type { ConcurrencyLimit } from '../http/middleware/concurrency-limit.js';
import { ClientGone, jsonBody } from '../http/middleware/json-body.js';
import { matchOperation } from '../http/middleware/match-operation.js';
import { type OperationCall, serveOperation } from '../http/middleware/serve-operation.js';
import { type HttpResponse, type RequestContext, requestContextOf } from '../http/request-context.js';
import { requestIdHeader } from '../http/request-ids.js';
import { sendResponse } from '../http/send-response.js';
import type { Api } from '../openapi/create-api.js';
import type { OperationId } from '../openapi/types.js';
import { chooseAnswer } from './choose-example.js';
import type { MockAnswers } from './example-responses.js';

export interface MockRouterParts {
  /** Without handlers for operations. */
  readonly api: Api;
  readonly answers: MockAnswers;
  readonly errors: ErrorResponses;
  readonly concurrency: ConcurrencyLimit;
}

/**
 * The API of a mock: validated like the service, and served with the examples of the contract. Any API key is valid,
 * and none has limits.
 */
export function createMockRouter({ api, answers, errors, concurrency }: MockRouterParts): RequestHandler {
  api.register('notImplemented', ({ operation }: Context, { context }: OperationCall) =>
    withOwnId(chooseAnswer(answers, operation.operationId as OperationId, context)),
  );
  return express
    .Router()
    .use(
      matchOperation(api.router, () => undefined),
      acceptAnyKey,
      concurrency.middleware,
      // A removed operation is mocked until it leaves the contract.
      jsonBody(concurrency, () => 0),
      sendMethods(answers),
      serveOperation(api),
    )
    .use(mockErrorHandler(answers, errors));
}

/** The methods of a path for OPTIONS, with the headers that the contract requires. */
function sendMethods(answers: MockAnswers): RequestHandler {
  return (request, _response, next) => {
    const context = requestContextOf(request);
    if (request.method !== 'OPTIONS' || context.match?.kind !== 'method not allowed') next();
    else
      sendResponse(
        context,
        withRequiredHeaders(answers, context, { status: 204, headers: { Allow: context.match.allow } }),
      );
  };
}

function mockErrorHandler(answers: MockAnswers, errors: ErrorResponses): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request, _response, _next) => {
    const context = requestContextOf(request);
    if (error instanceof ClientGone) return;
    sendResponse(context, withRequiredHeaders(answers, context, errors.from(error, context.id)));
  };
}

/** Adds the examples of headers that the contract requires and that the response lacks. */
function withRequiredHeaders(answers: MockAnswers, { match }: RequestContext, reply: HttpResponse): HttpResponse {
  const id = match?.kind === 'operation' ? match.operation.operationId : undefined;
  return withOwnId({ ...reply, headers: { ...answers.requiredHeaders(id, reply.status), ...reply.headers } });
}

/** Without the id of an example: the response has that of its request. */
function withOwnId({ headers: { [requestIdHeader]: _id, ...headers } = {}, ...reply }: HttpResponse): HttpResponse {
  return { ...reply, headers };
}

const acceptAnyKey: RequestHandler = (request, _response, next) => {
  const context = requestContextOf(request);
  context.authentication = bearerTokenOf(request.headers.authorization) === undefined ? 'missing key' : anyKey;
  context.client = { kind: 'quota', id: anyKey.quota.id, limits: { requestsPerMinute: Infinity } };
  next();
};

const anyKey: ApiKey = {
  id: 'mock',
  name: 'mock',
  quota: { id: 'mock', plan: 'free', limits: undefined },
  createdAt: 0,
  expiresAt: undefined,
  revokedAt: undefined,
  rotatedAt: undefined,
  lastUsedAt: undefined,
};
