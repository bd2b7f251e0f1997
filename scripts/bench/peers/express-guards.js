import { rateLimit } from 'express-rate-limit';
import { authenticate } from './authenticate.js';
import { errors } from './errors.js';

const minuteMs = 60_000;

/** The key and both limits, as middleware of express. */
export function expressGuards(catalogue) {
  return [
    (request, response, next) => {
      request.apiKey = authenticate(catalogue, request.headers.authorization);
      if (request.apiKey !== undefined) next();
      else response.status(401).set('WWW-Authenticate', 'Bearer').json(errors.invalidApiKey);
    },
    limit(minuteMs, ({ perMinute }) => perMinute),
    limit(24 * 60 * minuteMs, ({ perDay }) => perDay),
  ];
}

function limit(windowMs, limitOf) {
  return rateLimit({
    windowMs,
    limit: (request) => limitOf(request.apiKey),
    keyGenerator: (request) => request.apiKey.id,
    legacyHeaders: true,
    standardHeaders: false,
    message: errors.tooManyRequests,
  });
}
