import type { FromSchema } from 'json-schema-to-ts';

const positive = { type: 'integer', minimum: 1 } as const;
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
const banRule = closed({ rejectedRequestsFactor: positive, seconds: positive });
const status = { type: 'integer', minimum: 400, maximum: 599 } as const;
const errorCode = {
  type: 'object',
  additionalProperties: false,
  required: ['status'],
  properties: { status, cause: text, resolution: text },
} as const;

/** The dates are `YYYY-MM-DD`. An operation is removed at midnight UTC. */
const operation = {
  type: 'object',
  properties: {
    'x-stability': { enum: ['stable', 'beta', 'experimental'] },
    'x-deprecated-at': day,
    'x-sunset': day,
    /** The operationId of the operation to use instead. */
    'x-successor': text,
  },
} as const;

const apiKeyScheme = {
  type: 'object',
  properties: {
    /** The realm of `WWW-Authenticate` (RFC 9110, section 11.5), without characters that end a quoted string. */
    'x-realm': { type: 'string', pattern: '^[^"\\\\]+$' },
    /** The prefixes of API keys, by environment. */
    'x-key-prefixes': { type: 'object', minProperties: 1, additionalProperties: text },
  },
} as const;

const idempotencyKey = {
  type: 'object',
  properties: { 'x-idempotency-retention-seconds': positive },
} as const;

export type PlanLimits = Readonly<FromSchema<typeof planLimits>>;
/** When and how long a key is banned. The contract describes each number. */
export type BanRule = Readonly<FromSchema<typeof banRule>>;
export type ErrorCodeDocs = Readonly<FromSchema<typeof errorCode>>;
export type OperationExtensions = Readonly<FromSchema<typeof operation>>;
export type ApiKeyScheme = Readonly<FromSchema<typeof apiKeyScheme>>;
export type IdempotencyKey = Readonly<FromSchema<typeof idempotencyKey>>;

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

const isOperation = { type: 'object', required: ['responses'] };
const pathItem = { type: 'object', additionalProperties: { if: isOperation, then: operation } };

/** The schema of the extensions that loading checks. The types of this module are derived from its parts. */
export const extensionsSchema = {
  type: 'object',
  properties: {
    ...root,
    paths: { type: 'object', additionalProperties: pathItem },
    components: {
      type: 'object',
      properties: {
        parameters: { type: 'object', properties: { IdempotencyKey: idempotencyKey } },
        securitySchemes: { type: 'object', additionalProperties: apiKeyScheme },
      },
    },
  },
};
