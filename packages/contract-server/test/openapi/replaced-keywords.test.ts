import { expect } from 'chai';
import { parseJson } from '#src/json/exact-json.js';
import { createAjv } from '#src/openapi/create-ajv.js';
import { canBeSlow, slowTextMax } from '#src/openapi/patterns.js';
import { describeErrors } from '#src/openapi/validation-messages.js';

const openapi = '3.1.1';
/** Takes exponential time: for 60 characters, longer than the test run. */
const exponential = '^(a+)+$';
const schemas = {
  Slow: { type: 'string', pattern: exponential },
  Short: { type: 'string', maxLength: 20 },
  Both: { allOf: [{ $ref: '#/components/schemas/Slow' }, { $ref: '#/components/schemas/Short' }] },
};
const schemaAt = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const attack = (length: number) => `${'a'.repeat(length - 1)}!`;

/** What is wrong with a value, as a request and as a response; `valid` if nothing is. */
function validated(schema: object, value: unknown, version = openapi): string {
  const [one, other] = (['request', 'response'] as const).map((message) => {
    const ajv = createAjv({ openapi: version, components: { schemas } }, message);
    const validate = ajv.compile({ properties: { line: schema } });
    return validate({ line: value }) ? 'valid' : describeErrors(validate.errors ?? []);
  });
  expect(one).to.equal(other);
  return String(one);
}

describe('keywords that compare values', () => {
  const unique = { uniqueItems: true };
  const constant = { const: { a: 1, b: [2] } };
  const oneOf = { enum: [{ a: 1 }, [1], null, 'x', 5] };
  const none = { not: { const: { a: 1 } } };
  const notUnique = 'The line must have no two equal items.';
  for (const [schema, value, expected] of [
    [unique, '[{},{"toString":""}]', 'valid'],
    [unique, '[{"a":1,"b":2},{"b":2,"a":1.0}]', notUnique],
    [unique, '[[1],[2],[1]]', notUnique],
    [unique, '[1,true,"1",null,{},[]]', 'valid'],
    [unique, '[1,1.0]', notUnique],
    [{ uniqueItems: false }, '[1,1]', 'valid'],
    [unique, '"text"', 'valid'],
    [{ items: { type: 'object' }, ...unique }, '[{"a":1},{"a":1}]', notUnique],
    [constant, '{"b":[2],"a":1}', 'valid'],
    [constant, '{"a":1,"b":[3]}', 'The line must be {"a":1,"b":[2]}.'],
    [oneOf, '{"a":1}', 'valid'],
    [oneOf, '[1]', 'valid'],
    [oneOf, 'null', 'valid'],
    [oneOf, '5', 'valid'],
    [oneOf, '"x"', 'valid'],
    [oneOf, '{"a":2}', 'The line must be one of: {"a":1}, [1], null, x, 5.'],
    [oneOf, '[]', 'The line must be one of: {"a":1}, [1], null, x, 5.'],
    [none, '{"a":1}', 'The line must not match the schema in not.'],
    [none, '{"a":2}', 'valid'],
  ] as const)
    it(`find for ${value} and ${JSON.stringify(schema)}: ${expected}`, () => {
      for (const version of ['3.0.4', openapi])
        expect(validated(schema, parseJson(Buffer.from(value)), version)).to.equal(expected);
    });
});

describe('a pattern that can take long', () => {
  const tooLong = (length: number) => `The line must have at most ${String(length)} characters.`;
  for (const [schema, length] of [
    [{ pattern: exponential, maxLength: 20 }, 20],
    [{ allOf: [{ pattern: exponential }, { maxLength: 20 }] }, 20],
    [{ maxLength: 20, allOf: [{ pattern: exponential }] }, 20],
    [{ maxLength: 20, anyOf: [{ pattern: exponential }] }, 20],
    [{ maxLength: 20, not: { pattern: exponential } }, 20],
    [{ maxLength: 20, if: { pattern: exponential }, then: {} }, 20],
    [{ allOf: [schemaAt('Slow'), { maxLength: 20 }] }, 20],
    [{ ...schemaAt('Slow'), maxLength: 20 }, 20],
    [{ maxLength: 10, allOf: [schemaAt('Both')] }, 10],
    [schemaAt('Both'), 20],
    [{ pattern: '[a-z]+@' }, slowTextMax],
    [{ allOf: [{ pattern: '[a-z]+@' }] }, slowTextMax],
    [{ type: ['string', 'null'], pattern: '^.+@.+\\..+$' }, slowTextMax],
  ] as const)
    it(`is not matched with a text that is too long: ${JSON.stringify(schema)}`, () => {
      expect(validated(schema, attack(slowTextMax + 1))).to.equal(tooLong(length));
    });

  it('is matched with each text that its maxLength allows, also beyond the default', () => {
    const schema = { pattern: '^[a-z]+@[a-z]+$', maxLength: 3 * slowTextMax };
    expect(validated(schema, `${'a'.repeat(2 * slowTextMax)}@a`)).to.equal('valid');
    expect(validated(schema, 'a'.repeat(2 * slowTextMax))).to.match(/^The line must match the pattern/);
  });

  it('is matched with characters of two code units up to its maxLength', () => {
    const schema = { pattern: '^.*🐕+$', maxLength: 4 };
    expect(validated(schema, '🐕'.repeat(4))).to.equal('valid');
    expect(validated(schema, '🐈'.repeat(4))).to.match(/^The line must match the pattern/);
    expect(validated(schema, '🐕'.repeat(5))).to.equal(tooLong(4));
  });

  it('is not matched with long names of fields', () => {
    const schema = { type: 'object', patternProperties: { '^(a+)+$': {} } };
    expect(validated(schema, { [attack(slowTextMax + 1)]: 1 })).to.match(/has a name that is not allowed/);
    expect(validated(schema, { aaa: 1, b: 2 })).to.equal('valid');
  });

  it('limits no other text', () => {
    const base64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';
    expect(validated({ pattern: base64.replace('|[A-Za-z0-9+/]{3}=', '') }, 'AAAA'.repeat(9000))).to.equal('valid');
    expect(validated({ pattern: '^[a-z]+$' }, 'a'.repeat(60_000))).to.equal('valid');
  });

  for (const [pattern, expected] of [
    ['^[a-z]+$', false],
    ['^[0-9]{13}$', false],
    ['^[A-Z]{2}$', false],
    ['^\\d{4}-\\d{2}-\\d{2}$', false],
    ['^a\\+b\\*c$', false],
    ['^[+*]+$', false],
    ['abc', false],
    ['[a-z]+@', true],
    ['^a|b+$', true],
    ['^(a+)+$', true],
    ['^.+@.+$', true],
    ['(a|a)*$', true],
    ['^(a{1,1000}){1,1000}$', true],
    ['^(?:a?){50}a{50}$', true],
    ['^(a)\\1$', true],
  ] as const)
    it(`is one that repeats more than once: ${pattern} ${expected ? 'is' : 'is not'}`, () => {
      expect(canBeSlow(pattern)).to.equal(expected);
    });
});

describe('an array or an object that is too large', () => {
  for (const [schema, value, expected] of [
    [{ maxItems: 2, items: { type: 'integer' } }, ['a', 'b', 'c'], 'The line must have at most 2 items.'],
    [{ maxItems: 2, uniqueItems: true }, [1, 1, 1], 'The line must have at most 2 items.'],
    [{ maxItems: 2, contains: { const: 5 } }, [1, 2, 3], 'The line must have at most 2 items.'],
    [{ maxItems: 3, items: { type: 'boolean' } }, ['a'], '`0` must be true or false.'],
    [
      { maxProperties: 1, additionalProperties: { type: 'integer' } },
      { a: 'x', b: 'y' },
      'The line must have at most 1 field.',
    ],
    [{ maxProperties: 1, properties: { a: { type: 'integer' } } }, { a: 'x' }, '`a` must be an integer'],
  ] as const)
    it(`has no error of its members: ${JSON.stringify(schema)}`, () => {
      expect(validated(schema, value)).to.satisfy((message: string) => message.startsWith(expected));
    });
});
