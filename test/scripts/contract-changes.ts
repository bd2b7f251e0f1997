import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { Effect } from '../../scripts/compatibility-rules.js';
import type { Json } from '../support/contract/changed-contract.js';

/** A change of the contract, and its effect if all operations are stable, and if all are experimental. */
export interface KnownChange {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly stable: Effect;
  readonly experimental: Effect;
}

/** Sets the value at a path, or removes it if the value is `undefined`. */
export interface Edit {
  readonly path: readonly string[];
  readonly value?: Json;
}

const { document } = await readContract(contractUrl);

const set = (path: string, value: Json): Edit => ({ path: path.split(' '), value });
const remove = (path: string): Edit => ({ path: path.split(' ') });

/** A change that is breaking for a stable operation only. */
const breaking = (name: string, ...edits: Edit[]): KnownChange => ({
  name,
  edits,
  stable: 'breaking',
  experimental: 'non-breaking',
});
/** A change of what all operations share, which is breaking with any stability. */
const breakingForAll = (name: string, ...edits: Edit[]): KnownChange => ({
  name,
  edits,
  stable: 'breaking',
  experimental: 'breaking',
});
const nonBreaking = (name: string, ...edits: Edit[]): KnownChange => ({
  name,
  edits,
  stable: 'non-breaking',
  experimental: 'non-breaking',
});
const annotation = (name: string, ...edits: Edit[]): KnownChange => ({
  name,
  edits,
  stable: 'annotation',
  experimental: 'annotation',
});

const list = 'paths /pets get';
const create = 'paths /pets post';
const get = 'paths /pets/{petId} get';
const schemas = 'components schemas';
const parameters = 'components parameters';
const code = { status: 400, cause: 'A cause.', resolution: 'A resolution.' };
const states = ['available', 'pending', 'sold'];
const xmlContent = { 'application/xml': { schema: { $ref: '#/components/schemas/Pets' } } };

export const knownChanges: readonly KnownChange[] = [
  // Operations
  breaking('a path removed', remove('paths /pets/{petId}')),
  breaking('an operation removed', remove(create)),
  breaking('an operation under another path', remove(list), set('paths /No_Such_Path', { get: { responses: {} } })),
  breaking('an operation renamed', set(`${list} operationId`, 'no operation')),
  breaking('an operation with a lower stability', set(`${list} x-stability`, 'beta')),
  nonBreaking(
    'an operation added',
    set('paths /No_Such_Path', { get: { operationId: 'no operation', 'x-stability': 'stable', responses: {} } }),
  ),
  annotation('another description of an operation', set(`${list} description`, 'All of them.')),
  // Deprecation
  nonBreaking('an operation deprecated', set(`${list} deprecated`, true)),
  nonBreaking(
    'a removal announced 12 months ahead',
    set(`${list} deprecated`, true),
    set(`${list} x-deprecated-at`, '2027-01-31'),
    set(`${list} x-sunset`, '2028-01-31'),
  ),
  breaking(
    'a removal announced less than 12 months ahead',
    set(`${list} deprecated`, true),
    set(`${list} x-deprecated-at`, '2027-01-31'),
    set(`${list} x-sunset`, '2028-01-30'),
  ),
  breaking('a removal announced without a deprecation', set(`${list} x-sunset`, '2039-01-01')),
  breaking('a removal moved forward', set(`${get} x-sunset`, '2030-12-04')),
  nonBreaking('a removal postponed', set(`${get} x-sunset`, '2031-01-01')),
  nonBreaking('a removal withdrawn', remove(`${get} x-sunset`)),
  // Parameters
  breaking('a required parameter added', set(`${list} parameters 3`, parameter('sort', true))),
  nonBreaking('an optional parameter added', set(`${list} parameters 3`, parameter('sort', false))),
  breaking('a parameter removed', set(`${list} parameters`, [{ $ref: '#/components/parameters/Limit' }])),
  breaking('an optional parameter made required', set(`${parameters} Cursor required`, true)),
  breaking('a limit of a parameter narrowed', set(`${parameters} Limit schema maximum`, 50)),
  nonBreaking('a limit of a parameter widened', set(`${parameters} Limit schema maximum`, 500)),
  breaking('a default of a parameter changed', set(`${parameters} Limit schema default`, 10)),
  breaking('another type of a parameter', set(`${parameters} Cursor schema type`, 'integer')),
  breaking('another pattern of a parameter', set(`${parameters} IdempotencyKey schema pattern`, '^[a-z]+$')),
  breaking('a path parameter renamed', ...renamedPetId()),
  breaking(
    'idempotency keys kept for less time',
    set(`${parameters} IdempotencyKey x-idempotency-retention-seconds`, 60),
  ),
  nonBreaking(
    'idempotency keys kept for longer',
    set(`${parameters} IdempotencyKey x-idempotency-retention-seconds`, 90_000),
  ),
  annotation(
    'another text of a validation message',
    set(`${schemas} NewPet properties name x-allowed pattern`, 'a visible character'),
  ),
  annotation('an example of a parameter changed', set(`${parameters} Limit example`, 30)),
  // Request bodies
  breaking('an optional field made required', set(`${schemas} NewPet required`, ['name', 'categoryId', 'status'])),
  breaking('a required field added', ...requiredField()),
  nonBreaking('an optional field added', set(`${schemas} NewPet properties age`, { type: 'integer' })),
  breaking('an optional field removed', remove(`${schemas} NewPet properties status`)),
  breaking('a shorter maximum length of a field', set(`${schemas} NewPet properties name maxLength`, 100)),
  breaking('a longer minimum length of a field', set(`${schemas} NewPet properties name minLength`, 2)),
  breaking('another pattern of a field', set(`${schemas} NewPet properties name pattern`, '^[a-z]+$')),
  breaking('another type of a field', set(`${schemas} NewPet properties categoryId type`, 'string')),
  breaking('an allowed value removed', ...sentStatus(['available', 'sold'])),
  nonBreaking('an allowed value added', ...sentStatus([...states, 'lost'])),
  nonBreaking('a request field that may be null', set(`${schemas} NewPet properties name nullable`, true)),
  breaking('a smaller maximum body size', set('paths /pets post requestBody x-max-body-bytes', 1024)),
  nonBreaking('a larger maximum body size', set('paths /pets post requestBody x-max-body-bytes', 131_072)),
  breaking('bodies with another media type', set('paths /pets post requestBody content', xmlContent)),
  // Responses
  breaking('a status removed', remove(`${create} responses 422`)),
  nonBreaking('a status added', set(`${create} responses 402`, { description: 'Pay.' })),
  breaking('a field removed from a response', remove(`${schemas} Pet properties status`)),
  breaking('a response field no longer required', set(`${schemas} Pet required`, ['id', 'name'])),
  nonBreaking('a field added to a response', set(`${schemas} Pet properties age`, { type: 'integer' })),
  breaking('a response field with another type', set(`${schemas} Pet properties id`, { type: 'string' })),
  breaking('another pattern of a field of all errors', set(`${schemas} Error properties code pattern`, '^[a-z_]+$')),
  breaking('a response field that may be null', set(`${schemas} Pet properties name nullable`, true)),
  breaking(
    'a value added to a response field',
    set(`${schemas} Pet properties status`, { type: 'string', enum: [...states, 'lost'] }),
  ),
  nonBreaking(
    'a value removed from a response field',
    set(`${schemas} Pet properties status`, { type: 'string', enum: ['sold'] }),
  ),
  breaking('longer pages', set(`${schemas} Pets maxItems`, 1000)),
  breaking('wider identifiers', set(`${schemas} Pet properties id maximum`, 9_007_199_254_740_992)),
  breaking('responses with another media type', set(`${list} responses 200 content`, xmlContent)),
  annotation('another description of a response', set(`${list} responses 200 description`, 'Pets.')),
  // Response headers
  breaking('a header removed', remove(`${list} responses 200 headers Link`)),
  breaking('a header no longer required', remove('components headers WWW-Authenticate required')),
  nonBreaking('a header added', set(`${list} responses 200 headers X-Total`, { schema: { type: 'integer' } })),
  breaking('another pattern of a header', set('components headers NextPageLink schema pattern', '^<')),
  breaking('a value added to a header', set('components headers Idempotent-Replayed schema enum', ['true', 'false'])),
  nonBreaking('a header narrowed', set('components headers Location schema maxLength', 2000)),
  breaking('a header removed from the default response', remove('components responses Default headers Allow')),
  breaking('a default response removed', remove(`${list} responses default`)),
  // API keys, plans, limits, error codes
  breaking('a second API key required', ...secondKey()),
  nonBreaking('an operation without authentication', set(`${list} security`, [])),
  breakingForAll('another authentication scheme', set('components securitySchemes apiKey scheme', 'basic')),
  breakingForAll(
    'another prefix of API keys',
    set('components securitySchemes apiKey x-key-prefixes production', 'pet_'),
  ),
  breakingForAll('a plan with a lower limit', set('x-rate-limit-plans free requestsPerMinute', 59)),
  breakingForAll('a plan removed', remove('x-rate-limit-plans business')),
  nonBreaking('a plan with a higher limit', set('x-rate-limit-plans free requestsPerDay', 2000)),
  nonBreaking('a plan added', set('x-rate-limit-plans team', { requestsPerMinute: 500, requestsPerDay: 20_000 })),
  breakingForAll('earlier bans', set('x-rate-limit-ban rejectedRequestsFactor', 5)),
  breakingForAll('longer bans', set('x-rate-limit-ban seconds', 1800)),
  nonBreaking('shorter bans', set('x-rate-limit-ban seconds', 60)),
  breakingForAll('another plan for client addresses', set('x-rate-limit-address-plan', 'pro')),
  breakingForAll('an error code removed', remove('x-error-codes pet_not_found')),
  breakingForAll('an error code with another status', set('x-error-codes pet_not_found status', 410)),
  nonBreaking('an error code added', set('x-error-codes No_Such_Code', code)),
  annotation('another resolution of an error code', set('x-error-codes pet_not_found resolution', 'List the pets.')),
  // Other changes
  breakingForAll('an extension without a rule', set('x-quota', 5)),
  annotation('an example changed', set('components examples CreatedDog value name', 'Max')),
  annotation('the introduction changed', set('info description', 'Pets.')),
  annotation('a tag removed', set('tags', [{ name: 'animals' }])),
];

function parameter(name: string, required: boolean): Json {
  return { name, in: 'query', required, schema: { type: 'string' } };
}

function requiredField(): Edit[] {
  return [
    set(`${schemas} NewPet properties age`, { type: 'integer' }),
    set(`${schemas} NewPet required`, ['name', 'categoryId', 'age']),
  ];
}

function sentStatus(states: string[]): Edit[] {
  return [set(`${schemas} NewPet properties status`, { type: 'string', enum: states, default: 'available' })];
}

function renamedPetId(): Edit[] {
  const item = document.paths['/pets/{petId}'] as Json;
  return [remove('paths /pets/{petId}'), set('paths /pets/{id}', item), set(`${parameters} PetId name`, 'id')];
}

function secondKey(): Edit[] {
  return [
    set(`${list} security`, [{ apiKey: [], second: [] }]),
    set('components securitySchemes second', { type: 'apiKey', in: 'header', name: 'X-Second' }),
  ];
}
