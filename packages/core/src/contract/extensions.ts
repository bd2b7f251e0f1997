import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { FromSchema } from 'json-schema-to-ts';
import { countMax } from '../lib/count-max.js';
import type { Problem } from './contract-error.js';
import { unescapeName } from './json-pointer.js';

const positive = { type: 'integer', minimum: 1, maximum: countMax } as const;
const text = { type: 'string', minLength: 1 } as const;
const day = { type: 'string', format: 'date' } as const;

/** An object that has these properties and no others. */
const closed = <Properties extends object>(properties: Properties) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: Object.keys(properties) as (keyof Properties & string)[],
    properties,
  }) as const;

/** Windows are a minute and a day. */
const planLimits = closed({ requestsPerMinute: positive, requestsPerDay: positive });
/** 300 years, so that the end of a ban is a valid `Date`, and a valid expiry in Redis. */
const banSeconds = { ...positive, maximum: 9_999_999_999 } as const;
const banRule = closed({ rejectedRequestsFactor: positive, seconds: banSeconds });
const status = { type: 'integer', minimum: 400, maximum: 599 } as const;
const errorCode = {
  type: 'object',
  additionalProperties: false,
  required: ['status'],
  properties: { status, cause: text, resolution: text },
} as const;

const upToADay = { type: 'integer', minimum: 1, maximum: 86_400 } as const;
/** How many requests each caller can send in a fixed window of so many seconds. */
const operationLimit = closed({ requests: positive, seconds: upToADay });

/** The dates are `YYYY-MM-DD`. An operation is removed at midnight UTC. */
const operation = {
  type: 'object',
  properties: {
    'x-stability': { enum: ['stable', 'beta', 'experimental'] },
    'x-deprecated-at': day,
    'x-sunset': day,
    /** The operationId of the operation to use instead. */
    'x-successor': text,
    'x-rate-limit': operationLimit,
  },
} as const;

const apiKeyScheme = {
  type: 'object',
  properties: {
    /** The realm of `WWW-Authenticate` (RFC 9110, section 11.5). */
    'x-realm': text,
    /** The prefixes of API keys, by environment. */
    'x-key-prefixes': { type: 'object', minProperties: 1, additionalProperties: text },
  },
} as const;

const parameter = { type: 'object', properties: { 'x-idempotency-retention-seconds': positive } };
const requestBody = { type: 'object', properties: { 'x-max-body-bytes': positive, 'x-max-body-values': positive } };

export type PlanLimits = Readonly<FromSchema<typeof planLimits>>;
/** When and how long a key is banned. The contract describes each number. */
export type BanRule = Readonly<FromSchema<typeof banRule>>;
export type ErrorCodeDocs = Readonly<FromSchema<typeof errorCode>>;
export type OperationLimit = Readonly<FromSchema<typeof operationLimit>>;
export type OperationExtensions = Readonly<FromSchema<typeof operation>>;
export type ApiKeyScheme = Readonly<FromSchema<typeof apiKeyScheme>>;

/** The extensions of the root. */
const root = {
  'x-rate-limit-plans': {
    type: 'object',
    minProperties: 1,
    additionalProperties: { anyOf: [{ enum: ['custom', 'unlimited'] }, planLimits] },
  },
  'x-rate-limit-address-plan': { type: 'string' },
  'x-rate-limit-ban': banRule,
  'x-error-codes': {
    type: 'object',
    propertyNames: { pattern: '^[a-z][a-z0-9_]*$' },
    additionalProperties: errorCode,
  },
};

const parameters = { type: 'array', items: parameter };
const isOperation = { type: 'object', required: ['responses'] };
const operationParts = { ...operation, properties: { ...operation.properties, parameters, requestBody } };
const pathItem = {
  type: 'object',
  properties: { parameters },
  additionalProperties: { if: isOperation, then: operationParts },
};

/** The types of this module are derived from the parts of this schema. */
const extensionsSchema = {
  type: 'object',
  properties: {
    ...root,
    paths: { type: 'object', additionalProperties: pathItem },
    components: {
      type: 'object',
      properties: {
        parameters: { type: 'object', additionalProperties: parameter },
        requestBodies: { type: 'object', additionalProperties: requestBody },
        securitySchemes: { type: 'object', additionalProperties: apiKeyScheme },
      },
    },
  },
};

/**
 * Finds mistakes in the extensions of a document, which OpenAPI's schema does not cover, at the deepest places only: a
 * mistake in a plan is also an error of the plan itself, which could be a word.
 */
export function extensionProblems(document: object): Problem[] {
  return schemaProblems(extensionsSchema, document);
}

/** The deepest places of a value that a schema does not allow. */
export function schemaProblems(schema: object, value: unknown): Problem[] {
  const ajv = addFormats.default(new Ajv({ allErrors: true, strict: true, strictRequired: false }), ['date']);
  const validate = ajv.compile(schema);
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => !['anyOf', 'if', 'propertyNames'].includes(keyword));
  const isAround = (outer: string) => errors.some(({ instancePath: inner }) => inner.startsWith(`${outer}/`));
  return errors.filter(({ instancePath }) => !isAround(instancePath)).map(describe);
}

function describe({ instancePath, message = '', params }: ErrorObject): Problem {
  const { additionalProperty, missingProperty, allowedValues } = params as Params;
  const path = instancePath.split('/').slice(1).map(unescapeName);
  const name = path.length === 0 ? 'The document' : `\`${path.at(-1) ?? ''}\``;
  if (additionalProperty !== undefined)
    return { path: [...path, additionalProperty], message: `Unknown field \`${additionalProperty}\`.` };
  if (missingProperty !== undefined) return { path, message: `${name} lacks \`${missingProperty}\`.` };
  const rule = allowedValues === undefined ? message : `must be one of: ${allowedValues.join(', ')}`;
  return { path, message: `${name} ${rule}.` };
}

interface Params {
  readonly additionalProperty?: string;
  readonly missingProperty?: string;
  readonly allowedValues?: readonly string[];
}
