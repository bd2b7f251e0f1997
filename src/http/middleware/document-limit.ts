import type { RequestHandler } from 'express';
import { type AugmentedRequest, rateLimit as expressRateLimit, ipKeyGenerator } from 'express-rate-limit';
import { minuteMs } from '../../rate-limits/decide.js';
import { requireContext } from '../request-context.js';
import { clientAddressOf } from './client-address.js';
import { closeUnlessProxied } from './rate-limit.js';
import { rateLimitError } from './rate-limit-headers.js';

/**
 * Limits how many documents a client address downloads in a minute: they need no API key, and each is large. Counted in
 * memory, by this node alone; IPv6 addresses by /56. Rejects with 429 `rate_limit_exceeded`.
 */
export function documentLimit(requestsPerMinute: number): RequestHandler {
  return expressRateLimit({
    windowMs: minuteMs,
    limit: requestsPerMinute,
    keyGenerator: (request) => ipKeyGenerator(clientAddressOf(request) ?? ''),
    // The 429 has the same headers as every other 429. Other responses have none.
    legacyHeaders: false,
    standardHeaders: false,
    // A 304 is not counted: it costs almost nothing.
    skipSuccessfulRequests: true,
    requestWasSuccessful: (_request, { statusCode }) => statusCode === 304,
    handler: (request, response, next) => {
      const context = requireContext(request);
      const now = Date.now();
      const { resetTime } = (request as AugmentedRequest)['rateLimit'] ?? {};
      const resetAt = resetTime?.getTime() ?? now + minuteMs;
      const minute = { name: 'minute', limit: requestsPerMinute, lengthMs: minuteMs, remaining: 0, resetAt } as const;
      context.decision = { rejectedBy: 'minute', windows: [minute], reportedWindow: minute, decidedAt: now };
      closeUnlessProxied(request, response);
      next(rateLimitError(context.decision));
    },
  });
}
