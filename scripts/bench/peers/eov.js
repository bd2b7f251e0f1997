/** express 5, express-openapi-validator and express-rate-limit. */
import express from 'express';
import OpenApiValidator from 'express-openapi-validator';
import { rateLimit } from 'express-rate-limit';
import { contract, errorBody, errors, findKey, pets, port } from './common.js';

const app = express();
app.disable('x-powered-by');
app.use('/v1', authenticate, limit(60_000, 'perMinute'), limit(86_400_000, 'perDay'));
app.use(express.json());
app.use(
  OpenApiValidator.middleware({
    apiSpec: contract,
    validateRequests: true,
    // Response validation is disabled because it would double the cost.
    validateResponses: false,
    // `authenticate` has checked the key.
    validateSecurity: false,
  }),
);
app.get('/v1/pets', (request, response) => {
  const { status, limit } = request.query;
  response.json(pets.list({ status, limit }));
});
app.post('/v1/pets', (request, response) => {
  response.status(201).json(pets.create(request.body));
});
app.get('/v1/pets/:petId', (request, response) => {
  const pet = pets.find(request.params.petId);
  if (pet === undefined) response.status(404).json(errors.petNotFound);
  else response.json(pet);
});
// Express recognizes an error handler by its four parameters.
app.use((error, _request, response, _next) => {
  const status = error.status ?? 500;
  response.status(status).json(errorBody(status, error.message));
});
app.listen(port, '127.0.0.1');

function authenticate(request, response, next) {
  request.apiKey = findKey(request.headers.authorization);
  if (request.apiKey !== undefined) next();
  else response.status(401).set('WWW-Authenticate', 'Bearer').json(errors.invalidApiKey);
}

function limit(windowMs, field) {
  return rateLimit({
    windowMs,
    limit: (request) => request.apiKey[field],
    keyGenerator: (request) => request.apiKey.id,
    legacyHeaders: true,
    standardHeaders: false,
    message: errors.tooManyRequests,
  });
}
