import { contractOf, errorsOf, jsonOf, startMockOf, useMockOf } from '@contract-server/test-support/servers/mocked.js';
import { expect } from 'chai';

const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const unique = (items: object, minItems: number) => ({ type: 'array', uniqueItems: true, minItems, items });
const integer = (more: object) => ({ type: 'integer', ...more });
const number = (more: object) => ({ type: 'number', ...more });
const format = (name: string, more: object = {}) => ({ type: 'string', format: name, ...more });
const kind = object({ kind: { enum: ['a', 'b'] }, size: { type: 'integer' } }, { required: ['kind'] });

/** Schemas that have values, by what they are about. */
const cases: Readonly<Record<string, object>> = {
  uniqueTexts: unique(text, 12),
  uniqueNumbers: unique(integer({ minimum: 1, maximum: 5 }), 5),
  uniqueFractions: unique(number({ minimum: 0, maximum: 1 }), 5),
  uniqueEnum: unique({ enum: ['a', 'b', 'c'] }, 3),
  uniqueBooleans: unique({ type: 'boolean' }, 2),
  uniqueObjects: unique(object({ id: integer({}), on: { type: 'boolean' } }, { required: ['id'] }), 4),
  uniqueExamples: unique({ type: 'string', example: 'same' }, 2),
  uniqueUuids: unique(format('uuid'), 3),
  uniqueDates: unique(format('date'), 3),
  uniquePatterns: unique({ type: 'string', pattern: '^[A-Z]{2}[0-9]$' }, 5),
  uniqueNested: unique({ type: 'array', minItems: 1, items: text }, 3),
  uniqueAnything: unique({}, 3),
  uniqueBranches: unique({ oneOf: [{ const: 'a' }, { const: 'b' }] }, 2),
  contains: { type: 'array', items: { type: ['string', 'integer'] }, contains: { const: 'x' } },
  containsBesidePrefix: { type: 'array', prefixItems: [text], contains: { type: 'integer', minimum: 5 } },
  minContains: { type: 'array', minItems: 4, items: integer({}), contains: { minimum: 10 }, minContains: 2 },
  maxContains: { type: 'array', minItems: 3, items: integer({}), contains: { minimum: 0 }, maxContains: 1 },
  noContains: { type: 'array', contains: { const: 1 }, minContains: 0 },
  patternProperties: {
    type: 'object',
    minProperties: 2,
    patternProperties: { '^x-[a-z]+$': integer({}) },
    additionalProperties: false,
  },
  patternOfRequired: {
    type: 'object',
    required: ['x-a'],
    patternProperties: { '^x-': integer({}) },
    additionalProperties: false,
  },
  patternOfProperty: object({ 'x-a': { minimum: 3 } }, { patternProperties: { '^x-': integer({}) } }),
  propertyNames: { type: 'object', minProperties: 3, propertyNames: { pattern: '^[A-Z]{3}$' } },
  propertyNamesEnum: {
    type: 'object',
    minProperties: 2,
    propertyNames: { enum: ['a', 'b'] },
    additionalProperties: text,
  },
  propertyNamesLength: {
    type: 'object',
    minProperties: 2,
    propertyNames: { maxLength: 3 },
    additionalProperties: text,
  },
  ifThen: {
    ...kind,
    if: object({ kind: { const: 'a' } }),
    then: { required: ['size'], properties: { size: { minimum: 7 } } },
  },
  ifElse: {
    ...kind,
    if: object({ kind: { const: 'a' } }, { required: ['kind'] }),
    then: false,
    else: { required: ['size'] },
  },
  ifThenElse: { type: 'integer', minimum: 0, if: { minimum: 10 }, then: { multipleOf: 7 }, else: { const: 3 } },
  dependentRequired: object(
    { card: text },
    { required: ['card'], dependentRequired: { card: ['address'], address: ['zip'] } },
  ),
  dependentOptional: object({ card: text, address: text }, { dependentRequired: { card: ['zip'] } }),
  dependentSchemas: object(
    { card: text },
    { required: ['card'], dependentSchemas: { card: { required: ['zip'], properties: { zip: integer({}) } } } },
  ),
  int64Minimum: integer({ format: 'int64', minimum: 2 ** 60 }),
  int64Lowest: integer({ format: 'int64', maximum: -(2 ** 60) }),
  int64Multiple: integer({ format: 'int64', minimum: 2 ** 60, multipleOf: 1000 }),
  decimals: number({ minimum: 0.15, multipleOf: 0.1 }),
  cents: number({ exclusiveMinimum: 19.98, multipleOf: 0.01 }),
  close: number({ exclusiveMinimum: 0.1, exclusiveMaximum: 0.2 }),
  tiny: number({ exclusiveMinimum: 0, maximum: 1e-9 }),
  fractionOfIntegers: integer({ minimum: 1, multipleOf: 1.5 }),
  negative: integer({ exclusiveMaximum: 0, multipleOf: 5 }),
  notConstant: { type: 'string', not: { const: 'string' } },
  notEnum: { enum: ['a', 'b', 'c'], not: { enum: ['a', 'b'] } },
  notType: { not: { type: 'object' } },
  notRequired: object({ a: text, b: text }, { not: { required: ['a'] } }),
  notRange: integer({ not: { minimum: -3 } }),
  notLength: { type: 'string', not: { maxLength: 9 } },
  minProperties: { type: 'object', minProperties: 20 },
  minPropertiesOfOptional: object({ a: text, b: text }, { minProperties: 2 }),
  shortEmail: format('email', { maxLength: 8 }),
  longEmail: format('email', { minLength: 50 }),
  shortUri: format('uri', { maxLength: 12 }),
  longUri: format('uri', { minLength: 100, maxLength: 100 }),
  longHost: format('hostname', { minLength: 90, maxLength: 120 }),
  groups: { type: 'string', pattern: '^(?:[a-z]{2,3}-){3}(\\d+|x)\\1?$', minLength: 15 },
  lookahead: { type: 'string', pattern: '^(?=.*[A-Z])(?=.*\\d).{8,}$' },
  slowPattern: { type: 'string', pattern: '^([a-z]+[.]?)+@[a-z]{3}$', minLength: 40 },
  unicode: { type: 'string', pattern: '^\\p{Lu}\\p{Ll}{3}$' },
  prototypeNames: { type: 'object', required: ['constructor', 'valueOf'], additionalProperties: text },
};

describe('a sample for a keyword', () => {
  const document = contractOf(
    Object.fromEntries(Object.entries(cases).map(([name, schema]) => [name, jsonOf(schema)])),
  );
  const mock = useMockOf(document);

  for (const [name, schema] of Object.entries(cases))
    it(`is valid: ${name}`, async () => {
      const { status, text: body } = await mock.send(`/${name}`);
      expect(status, body).to.equal(200);
      expect(errorsOf(document, schema, JSON.parse(body)), body).to.deep.equal([]);
    });

  it('is an exact integer beyond 2^53', async () => {
    const { send } = await startMockOf(
      contractOf({ above: jsonOf(integer({ format: 'int64', exclusiveMinimum: 2 ** 53 })) }),
    );
    expect(await send('/above')).to.include({ status: 200, text: '9007199254740993' });
  });

  for (const [name, schema] of [
    ['uniqueItems of two booleans', unique({ type: 'boolean' }, 3)],
    ['minContains', { type: 'array', contains: {}, minContains: 1e9 }],
    ['unique items', unique(text, 1e9)],
    ['minProperties of patterns', { type: 'object', minProperties: 1e9, patternProperties: { '^a': text } }],
    [
      'long names',
      { type: 'object', minProperties: 100, propertyNames: { minLength: 9999 }, additionalProperties: {} },
    ],
    ['long texts', { type: 'array', minItems: 100, items: { type: 'string', minLength: 9999 } }],
    ['a pattern that takes exponential time', { type: 'string', pattern: '^([a-z]+)+(?=X)[0-9]$', minLength: 200 }],
    ['nothing', { type: 'integer', minimum: 3, maximum: 2 }],
    ['groups', { type: 'string', pattern: '^((((a{99}){99}){99}){99}){99}$' }],
    ['empty groups', { type: 'string', pattern: '^(((((){99}){99}){99}){99}){99}b$', minLength: 5000 }],
  ] as const)
    it(`is not sent, which the response says in a sentence, if none is found in bounded time: ${name}`, async () => {
      const { send } = await startMockOf(contractOf({ bounded: jsonOf(schema) }));
      const { status, text: body } = await send('/bounded');
      const message = 'The mock finds no valid body for bounded 200. Add an example to the contract.';
      expect([status, JSON.parse(body)]).to.deep.equal([501, { code: 'not_implemented', message, status: 501 }]);
    });
});
