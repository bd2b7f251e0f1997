/** openapi-backend in express, as its README shows it, with key and limits before it. */
import express from 'express';
import { OpenAPIBackend } from 'openapi-backend';
import { openCatalogue } from './catalogue.js';
import { readContract } from './contract.js';
import { errors, invalidRequest } from './errors.js';
import { expressGuards } from './express-guards.js';
import { settings } from './settings.js';

const catalogue = openCatalogue(settings.directory);
const api = new OpenAPIBackend({
  definition: readContract(),
  apiRoot: '/v1',
  // Otherwise every numeric query parameter is rejected.
  coerceTypes: true,
  // Ajv's strict mode rejects the extensions of the contract.
  ajvOpts: { strict: false },
  handlers: {
    getPet: ({ request }, _request, response) => {
      const pet = catalogue.find(Number(request.params.petId));
      return pet === undefined ? response.status(404).json(errors.petNotFound) : response.json(pet);
    },
    listPets: ({ request: { query } }, _request, response) =>
      response.json(catalogue.list({ status: query.status, limit: Number(query.limit ?? 20) })),
    createPet: ({ request: { requestBody } }, _request, response) =>
      response.status(201).json(catalogue.create({ status: 'available', ...requestBody })),
    listOrders: (_context, _request, response) => response.status(501).json({ ...errors.unknownPath, status: 501 }),
    validationFail: ({ validation }, _request, response) =>
      response.status(400).json(invalidRequest(validation.errors.map(({ message }) => message).join(', '))),
    notFound: (_context, _request, response) => response.status(404).json(errors.unknownPath),
    methodNotAllowed: (_context, _request, response) =>
      response.status(405).json({ ...errors.unknownPath, status: 405 }),
  },
  securityHandlers: { apiKey: (_context, request) => request.apiKey },
});
await api.init();

const app = express();
app.disable('x-powered-by');
app.use('/v1', ...expressGuards(catalogue));
app.use(express.json());
// A copy: openapi-backend loses the path, query and headers of Express's request when it coerces types.
app.use((request, response) => {
  const { method, originalUrl, headers, query, body } = request;
  return api.handleRequest(
    { method, path: originalUrl.split('?')[0], headers, query: { ...query }, body },
    request,
    response,
  );
});
app.listen(settings.port, '127.0.0.1');
