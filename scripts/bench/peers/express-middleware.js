/** What the peers with Express share: API keys, limits of express-rate-limit, responses with a pet, and errors. */
import { rateLimit } from 'express-rate-limit';
import { findKey, invalidApiKey, petNotFound, pets } from './common.js';

/** Sets `request.apiKey`, or responds with 401. */
export function authenticate(request, response, next) {
  request.apiKey = findKey(request.headers.authorization);
  if (request.apiKey !== undefined) return next();
  return response.status(401).set('WWW-Authenticate', 'Bearer').json(invalidApiKey);
}

export const limits = [limit(60_000, 'perMinute'), limit(86_400_000, 'perDay')];

function limit(windowMs, field) {
  return rateLimit({
    windowMs,
    limit: (request) => request.apiKey[field],
    keyGenerator: (request) => request.apiKey.id,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
  });
}

export function sendPet(id, response) {
  const pet = pets.find(id);
  return pet === undefined ? response.status(404).json(petNotFound) : response.status(200).json(pet);
}

/** An error handler. Express recognizes it by its four parameters. */
export function sendError(error, _request, response, _next) {
  const { code = 'invalid_request', message, status = 500 } = error;
  response.status(status).json({ code, message, status });
}
