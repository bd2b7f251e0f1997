import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { minuteMs } from '../../rate-limits/decide.js';
import { closeUnlessProxied, infoOf, keyOf, minuteDecision } from '../address-limit.js';
import { rateLimitError } from '../rate-limit-headers.js';
import { requireContext } from '../request-context.js';
import { clientAddressOf } from './client-address.js';

/** Requests per minute of a client address. */
export const documentRequestsPerMinute = 600;

/**
 * Limits how many documents a client address downloads in a minute: they need no API key, and each is large. Counted in
 * memory, by this node alone; IPv6 addresses by /56. Rejects with 429 `rate_limit_exceeded`.
 */
export function documentLimit(): RequestHandler {
  return rateLimit({
    windowMs: minuteMs,
    limit: documentRequestsPerMinute,
    keyGenerator: (request) => keyOf(clientAddressOf(request)),
    // The 429 has the same headers as every other 429. Other responses have none.
    legacyHeaders: false,
    standardHeaders: false,
    // A 304 is not counted: it costs almost nothing.
    skipSuccessfulRequests: true,
    requestWasSuccessful: (_request, { statusCode }) => statusCode === 304,
    handler: (request, _response, next) => {
      const decision = minuteDecision(infoOf(request));
      requireContext(request).decision = decision;
      closeUnlessProxied(request);
      next(rateLimitError(decision));
    },
  });
}
