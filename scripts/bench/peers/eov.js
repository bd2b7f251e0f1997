/** Express, express-openapi-validator and express-rate-limit. */
import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { contract, pets, port } from './common.js';
import { authenticate, limits, sendError, sendPet } from './express-middleware.js';

const app = express();
app.use(authenticate, limits, express.json());
app.use(
  OpenApiValidator.middleware({
    apiSpec: contract,
    // Responses are not validated, as by default.
    validateSecurity: { handlers: { apiKey: (request) => request.apiKey !== undefined } },
  }),
);
app.get('/v1/pets/:petId', (request, response) => sendPet(request.params.petId, response));
app.get('/v1/pets', (request, response) => response.status(200).json(pets.list(request.query)));
app.post('/v1/pets', (request, response) => response.status(201).json(pets.create(request.body)));
app.use(sendError);
app.listen(port, '127.0.0.1');
