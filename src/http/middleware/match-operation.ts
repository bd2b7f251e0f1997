import type { RequestHandler } from 'express';
import type { CompiledRouter, Match } from '../../openapi/compiled-router.js';
import { exchangeOf, type HttpReply } from '../request-context.js';

/**
 * Finds the operation of the contract first of all: every response of a deprecated one announces its removal, a 401
 * too.
 */
export function matchOperation(
  router: CompiledRouter,
  announcedOf: (match: Match) => HttpReply['headers'],
): RequestHandler {
  return (request, _response, next) => {
    const exchange = exchangeOf(request);
    exchange.match = router.match(request.method, exchange.path);
    exchange.announced = announcedOf(exchange.match);
    next();
  };
}
