import type { OpenAPIV3 } from 'openapi-types';

const id = { type: 'integer', format: 'int64', minimum: 1 };
const text = { type: 'string' };
export const responses = {
  200: {
    description: 'Done',
    headers: { 'X-Total': { schema: { type: 'integer' } } },
    content: {
      'application/json': {
        schema: { type: 'object', required: ['id'], properties: { id, name: text } },
        examples: { block: { value: { id: 1, name: 'Block' } } },
      },
    },
  },
};
const part = { type: 'object', maxProperties: 3, properties: { isSold: { type: 'boolean', default: false } } };
const toyId = { name: 'toyId', in: 'path', required: true, schema: id };

/** A document with a parameter of each kind, and a path whose literal text another path template matches too. */
export function createDocument(): OpenAPIV3.Document {
  return {
    openapi: '3.0.4',
    info: { title: 'Toys', version: '1.0.0' },
    security: [{ key: [] }],
    paths: {
      '/toys': {
        get: {
          operationId: 'listToys',
          security: [],
          parameters: [
            { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
            { name: 'name', in: 'query', schema: { type: 'array', items: { type: 'string', enum: ['Ball', 'Kite'] } } },
            { name: 'isSold', in: 'query', schema: { type: 'boolean' } },
            { name: 'ratio', in: 'query', schema: { type: 'number', minimum: 0 } },
            { name: 'X-Trace', in: 'header', schema: { type: 'integer' } },
            { name: 'session', in: 'cookie', schema: { type: 'string', minLength: 2 } },
          ],
          responses,
        },
        post: {
          operationId: 'createToy',
          security: [],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/NewToy' } } },
          },
          responses,
        },
      },
      '/toys/{toyId}': { parameters: [toyId], get: { operationId: 'getToy', responses } },
      '/toys/mine': { delete: { operationId: 'deleteMine', security: [], responses } },
      '/toys/{toyId}/parts/{part}': {
        parameters: [toyId, { name: 'part', in: 'path', required: true, schema: text }],
        put: {
          operationId: 'putPart',
          security: [],
          requestBody: { content: { 'application/json': { schema: part } } },
          responses,
        },
      },
      '/offers': { get: { operationId: 'listOffers', responses } },
    },
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'Authorization' } },
      schemas: {
        NewToy: {
          type: 'object',
          additionalProperties: false,
          required: ['name'],
          properties: {
            name: { ...text, minLength: 1 },
            weight: id,
            price: { type: 'number' },
            isSold: { type: 'boolean' },
            parts: { type: 'array', items: { $ref: '#/components/schemas/NewToy' } },
          },
        },
      },
    },
  } as unknown as OpenAPIV3.Document;
}
