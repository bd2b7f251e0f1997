/** express 5, express-openapi-validator and express-rate-limit. */
import express from 'express';
import OpenApiValidator from 'express-openapi-validator';
import { openCatalogue } from './catalogue.js';
import { readContract } from './contract.js';
import { errors, invalidRequest } from './errors.js';
import { expressGuards } from './express-guards.js';
import { settings } from './settings.js';

const catalogue = openCatalogue(settings.directory);
const app = express();
app.disable('x-powered-by');
app.use('/v1', ...expressGuards(catalogue));
app.use(express.json());
app.use(
  OpenApiValidator.middleware({
    apiSpec: readContract(),
    validateRequests: true,
    // Response validation is disabled because it would double the cost.
    validateResponses: false,
    // The key was checked before.
    validateSecurity: false,
  }),
);
app.get('/v1/pets', (request, response) => {
  const { status, limit } = request.query;
  response.json(catalogue.list({ status, limit }));
});
app.post('/v1/pets', (request, response) => {
  response.status(201).json(catalogue.create(request.body));
});
app.get('/v1/pets/:petId', (request, response) => {
  const pet = catalogue.find(request.params.petId);
  if (pet === undefined) response.status(404).json(errors.petNotFound);
  else response.json(pet);
});
// Express recognizes an error handler by its four parameters.
app.use((error, _request, response, _next) => {
  response.status(error.status ?? 500).json({ ...invalidRequest(error.message), status: error.status ?? 500 });
});
app.listen(settings.port, '127.0.0.1');
