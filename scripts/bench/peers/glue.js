/** fastify 5, fastify-openapi-glue and @fastify/rate-limit. */
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import glue from 'fastify-openapi-glue';
import { contract, errorBody, errors, findKey, pets, port } from './common.js';

const app = fastify({
  // fastify removes unknown fields by default; the contract requires that they are rejected. Ajv's strict mode rejects
  // the extensions of the contract.
  ajv: { customOptions: { removeAdditional: false, strict: false } },
});
app.setErrorHandler((error, _request, reply) => {
  // The limiter throws an Error body.
  if (error === errors.tooManyRequests) return reply.code(429).send(error);
  const status = error.statusCode ?? 500;
  return reply.code(status).send(errorBody(status, error.message));
});
app.setNotFoundHandler((_request, reply) => reply.code(404).send(errors.unknownPath));
app.decorateRequest('apiKey', null);
app.addHook('onRequest', async (request, reply) => {
  request.apiKey = findKey(request.headers.authorization);
  if (request.apiKey === undefined)
    return reply.code(401).header('WWW-Authenticate', 'Bearer').send(errors.invalidApiKey);
});
await app.register(rateLimit, limit('1 minute', 'perMinute'));
await app.register(rateLimit, limit('1 day', 'perDay'));
await app.register(glue, {
  specification: contract,
  prefix: 'v1',
  serviceHandlers: {
    getPet: async ({ params }, reply) => pets.find(params.petId) ?? reply.code(404).send(errors.petNotFound),
    listPets: async ({ query }) => pets.list(query),
    createPet: async ({ body }, reply) => {
      reply.code(201);
      return pets.create(body);
    },
  },
});
await app.listen({ port, host: '127.0.0.1' });

function limit(timeWindow, field) {
  return {
    timeWindow,
    max: (request) => request.apiKey[field],
    keyGenerator: (request) => request.apiKey.id,
    errorResponseBuilder: () => errors.tooManyRequests,
  };
}
