/** Express, openapi-backend and express-rate-limit. */
import express from 'express';
import { OpenAPIBackend } from 'openapi-backend';
import { contract, invalidApiKey, pets, port } from './common.js';
import { authenticate, limits, sendError, sendPet } from './express-middleware.js';

const api = new OpenAPIBackend({
  definition: contract,
  apiRoot: '/v1',
  coerceTypes: true,
  // Its logger reports the formats and the extensions of the contract that Ajv does not know.
  ajvOpts: { useDefaults: true, logger: false },
});
api.registerSecurityHandler('apiKey', (_context, request) => request.apiKey);
api.register({
  getPet: (context, _request, response) => sendPet(context.request.params.petId, response),
  listPets: (context, _request, response) => response.status(200).json(pets.list(context.request.query)),
  createPet: (context, _request, response) => response.status(201).json(pets.create(context.request.requestBody)),
  unauthorizedHandler: (_context, _request, response) => response.status(401).json(invalidApiKey),
  validationFail: ({ validation }, _request, response) => {
    const message = validation.errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ');
    return response.status(400).json({ code: 'invalid_request', message, status: 400 });
  },
  notFound: (_context, _request, response) =>
    response.status(404).json({ code: 'not_found', message: 'No operation has this path.', status: 404 }),
});
await api.init();

const app = express();
app.use(authenticate, limits, express.json());
app.use((request, response) => {
  // Not the request of Express: with coerceTypes, the properties that are getters would be lost.
  const { method, path, query, body, headers } = request;
  return api.handleRequest({ method, path, query, body, headers }, request, response);
});
app.use(sendError);
app.listen(port, '127.0.0.1');
