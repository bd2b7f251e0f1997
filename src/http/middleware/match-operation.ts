import type { RequestHandler } from 'express';
import type { CompiledRouter, Match } from '../../openapi/compiled-router.js';
import { type HttpResponse, requestContextOf } from '../request-context.js';

/**
 * Finds the operation of the contract first of all: every response of a deprecated one announces its removal, a 401
 * too.
 */
export function matchOperation(
  router: CompiledRouter,
  announcedOf: (match: Match) => HttpResponse['headers'],
): RequestHandler {
  return (request, _response, next) => {
    const context = requestContextOf(request);
    context.match = router.match(request.method, context.path);
    context.deprecationHeaders = announcedOf(context.match);
    next();
  };
}
