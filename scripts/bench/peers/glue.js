/** fastify 5, fastify-openapi-glue and @fastify/rate-limit. */
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import glue from 'fastify-openapi-glue';
import { contract, findKey, petNotFound, pets, port } from './common.js';

const app = fastify({
  // fastify removes unknown fields by default; the contract requires that they are rejected. Ajv's strict mode rejects
  // the extensions of the contract.
  ajv: { customOptions: { removeAdditional: false, strict: false } },
});
app.setErrorHandler((error, _request, reply) => {
  const { code = 'invalid_request', message, statusCode: status = 500 } = error;
  return reply.code(status).send({ code, message, status });
});
app.decorateRequest('apiKey', null);
app.addHook('onRequest', async (request, reply) => {
  request.apiKey = findKey(request.headers.authorization);
  if (request.apiKey !== undefined) return;
  reply.header('WWW-Authenticate', 'Bearer');
  throw Object.assign(new Error('The API key is not valid.'), { code: 'invalid_api_key', statusCode: 401 });
});
await app.register(rateLimit, limit('1 minute', 'perMinute'));
await app.register(rateLimit, limit('1 day', 'perDay'));
await app.register(glue, {
  specification: contract,
  prefix: 'v1',
  serviceHandlers: {
    getPet: async ({ params }, reply) => pets.find(params.petId) ?? reply.code(404).send(petNotFound),
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
  };
}
