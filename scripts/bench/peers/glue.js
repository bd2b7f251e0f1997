/** fastify 5, fastify-openapi-glue and @fastify/rate-limit. */
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import glue from 'fastify-openapi-glue';
import { authenticate } from './authenticate.js';
import { openCatalogue } from './catalogue.js';
import { readContract } from './contract.js';
import { errors, invalidRequest } from './errors.js';
import { settings } from './settings.js';

const catalogue = openCatalogue(settings.directory);
const app = fastify({
  logger: settings.logsRequests,
  // fastify removes unknown fields by default; the contract requires that they are rejected. Ajv's strict mode rejects
  // the extensions of the contract.
  ajv: { customOptions: { removeAdditional: false, strict: false } },
});

app.setErrorHandler((error, _request, reply) => {
  // The limiter throws an Error body.
  if (error === errors.tooManyRequests) return reply.code(429).send(error);
  const status = error.statusCode ?? 500;
  return reply.code(status).send({ ...invalidRequest(error.message), status });
});
app.setNotFoundHandler((_request, reply) => reply.code(404).send(errors.unknownPath));
await guard();
await app.register(glue, {
  specification: readContract(),
  prefix: 'v1',
  serviceHandlers: {
    getPet: async ({ params }, reply) => {
      const pet = catalogue.find(params.petId);
      if (pet !== undefined) return pet;
      return reply.code(404).send(errors.petNotFound);
    },
    listPets: async ({ query }) => catalogue.list(query),
    createPet: async ({ body }, reply) => {
      reply.code(201);
      return catalogue.create(body);
    },
  },
});
await app.listen({ port: settings.port, host: '127.0.0.1' });

async function guard() {
  app.decorateRequest('apiKey', null);
  app.addHook('onRequest', async (request, reply) => {
    request.apiKey = authenticate(catalogue, request.headers.authorization);
    if (request.apiKey === undefined)
      return reply.code(401).header('WWW-Authenticate', 'Bearer').send(errors.invalidApiKey);
  });
  await app.register(rateLimit, limit('1 minute', 'perMinute'));
  await app.register(rateLimit, limit('1 day', 'perDay'));
}

function limit(timeWindow, field) {
  return {
    timeWindow,
    max: (request) => request.apiKey[field],
    keyGenerator: (request) => request.apiKey.id,
    errorResponseBuilder: () => errors.tooManyRequests,
  };
}
