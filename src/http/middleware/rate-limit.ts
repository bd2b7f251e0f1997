import type { Request, RequestHandler, Response } from 'express';
import { rateLimit as expressRateLimit, type Store } from 'express-rate-limit';
import { rateLimitClientOf, requestContextOf } from '../request-context.js';
import { isTrustedProxy } from './client-address.js';
import { rateLimitError } from './rate-limit-headers.js';
import type { RateLimiter } from './rate-limiter.js';

/**
 * express-rate-limit, with minute, day and ban decided in one step. Its store can report one window only, so `limit`,
 * which receives the request, makes the decision, and the store counts one hit: of 1 if the request is admitted, of 0
 * if not.
 */
export function rateLimit(limiter: RateLimiter): RequestHandler {
  return expressRateLimit({
    keyGenerator: (request) => rateLimitClientOf(request).id,
    store: oneHit(),
    limit: async (request) => {
      const decision = await limiter.admit(rateLimitClientOf(request));
      requestContextOf(request).decision = decision;
      return decision.refusedBy === undefined ? 1 : 0;
    },
    handler: (request, response, next) => {
      if (rateLimitClientOf(request).kind === 'address') closeUnlessProxied(request, response);
      next(rateLimitError(requestContextOf(request).decision));
    },
    // Both windows are in the headers of every response under the path prefix, which this middleware does not write.
    legacyHeaders: false,
    standardHeaders: false,
    // It warns that a limit of 0 once meant no limit.
    validate: { limit: false },
  });
}

/**
 * A client that goes on without a valid API key has to connect again, which costs it more than a response costs the
 * service.
 */
export function closeUnlessProxied({ app, socket }: Request, response: Response): void {
  if (!isTrustedProxy(app, socket.remoteAddress)) response.shouldKeepAlive = false;
}

function oneHit(): Store {
  return {
    increment: () => ({ totalHits: 1, resetTime: undefined }),
    decrement: () => undefined,
    resetKey: () => undefined,
  };
}
