import { Ajv } from 'ajv';
import { banFields, planFields, requestLimitFields } from './document.js';

const positive = { type: 'integer', minimum: 1 };

const errorCode = {
  type: 'object',
  additionalProperties: false,
  required: ['status', 'cause', 'resolution'],
  properties: {
    status: { type: 'integer', minimum: 400, maximum: 599 },
    cause: { type: 'string', minLength: 1 },
    resolution: { type: 'string', minLength: 1 },
  },
};

/** An item of `paths`. `createApi` checks the announcement of a removal. */
const pathItem = {
  type: 'object',
  additionalProperties: {
    if: { type: 'object', required: ['responses'] },
    then: {
      type: 'object',
      required: ['x-stability'],
      properties: { 'x-stability': { enum: ['stable', 'beta', 'experimental'] } },
    },
  },
};

/** The extensions of the root that the server requires. */
const rootExtensions = {
  'x-rate-limit-plans': {
    type: 'object',
    minProperties: 1,
    additionalProperties: { anyOf: [{ const: 'custom' }, positiveNumbers(planFields)] },
  },
  'x-rate-limit-address-plan': { type: 'string' },
  'x-rate-limit-bans': positiveNumbers(banFields),
  'x-request-limits': positiveNumbers(requestLimitFields),
  'x-document-rate-limit': positiveNumbers(['requestsPerMinute']),
  'x-error-codes': {
    type: 'object',
    propertyNames: { pattern: '^[a-z][a-z0-9_]*$' },
    additionalProperties: errorCode,
  },
};

/** The schema of the extensions that the server reads from the root, the operations and the components. */
const schema = {
  type: 'object',
  required: Object.keys(rootExtensions),
  properties: {
    ...rootExtensions,
    paths: { type: 'object', additionalProperties: pathItem },
    components: {
      type: 'object',
      required: ['securitySchemes'],
      properties: {
        parameters: {
          type: 'object',
          properties: {
            IdempotencyKey: {
              type: 'object',
              required: ['x-idempotency-retention-seconds'],
              properties: { 'x-idempotency-retention-seconds': positive },
            },
          },
        },
        securitySchemes: {
          type: 'object',
          required: ['apiKey'],
          properties: {
            apiKey: {
              type: 'object',
              required: ['x-realm', 'x-key-prefixes'],
              properties: {
                // Without the characters that would end a quoted string.
                'x-realm': { type: 'string', pattern: '^[^"\\\\]+$' },
                'x-key-prefixes': {
                  type: 'object',
                  minProperties: 1,
                  additionalProperties: { type: 'string', minLength: 1 },
                },
              },
            },
          },
        },
      },
    },
  },
};

/**
 * Validates the extensions, which the OpenAPI schema does not cover: a misspelled limit would not apply.
 *
 * @throws TypeError that lists every error.
 */
export function requireExtensions(document: unknown): void {
  const ajv = new Ajv({ allErrors: true, strict: true, strictRequired: false });
  if (!ajv.validate(schema, document))
    throw new TypeError(`The contract is invalid: ${ajv.errorsText(ajv.errors, { dataVar: '' })}.`);
}

/** The schema of an object with exactly these properties, all of them positive integers. */
function positiveNumbers(names: readonly string[]): object {
  const properties = Object.fromEntries(names.map((name) => [name, positive]));
  return { type: 'object', additionalProperties: false, required: names, properties };
}
