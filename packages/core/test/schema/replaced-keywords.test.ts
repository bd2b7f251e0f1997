import { expect } from 'chai';
import { schemasOf } from '#dist/contract/schemas.js';
import { parseJson } from '#dist/json/exact-json.js';
import { createAjv } from '#dist/schema/create-ajv.js';
import { describeErrors } from '#dist/schema/validation-messages.js';

const openapi = '3.1.1';
/** Backtracking takes exponential time: for 60 characters, longer than the test run. */
const exponential = '^(a+)+$';
/** No automaton has assertions in the middle. */
const backtracked = '^a+(?=b*c)[^d]+$';
const attack = (length: number) => `${'a'.repeat(length - 1)}!`;

/** What is wrong with a value, as a request and as a response; `valid` if nothing is. */
function validated(schema: object, value: unknown, version = openapi): string {
  const [one, other] = (['request', 'response'] as const).map((message) => {
    const ajv = createAjv(schemasOf({ openapi: version }), message);
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

describe('a pattern', () => {
  const tooLong = (length: number) => `The line must have at most ${String(length)} characters.`;
  const lookahead = '^a+(?=b*c)[a-c]+$';
  const mismatch = (pattern: string) => `The line must match the pattern ${pattern}.`;

  for (const pattern of [exponential, '^(a|a)*$', '^a.+a.+a.+b$', '[a-z]+@', '^(?=.*B)(a+)+$', '^(?:a?){50}b{50}$'])
    it(`is matched in linear time with a text of any length: ${pattern}`, () => {
      expect(validated({ pattern }, attack(60_000))).to.equal(mismatch(pattern));
      expect(validated({ type: 'object', patternProperties: { [pattern]: false } }, { [attack(60_000)]: 1 })).to.equal(
        'valid',
      );
    });

  it('of many alternatives is matched in linear time', () => {
    const pattern = `^${'(a|a)'.repeat(40)}$`;
    expect(validated({ pattern }, attack(41))).to.equal(mismatch(pattern));
    expect(validated({ pattern }, 'a'.repeat(40))).to.equal('valid');
  });

  it('is matched with each text that the schema allows', () => {
    const base64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';
    for (const [pattern, text] of [
      [base64, `${'AAAA'.repeat(15_000)}AAA=`],
      ['^[a-z]+@[a-z]+$', `${'a'.repeat(60_000)}@a`],
      ['^[a-z]+$', 'a'.repeat(60_000)],
    ] as const)
      expect(validated({ pattern }, text)).to.equal('valid');
  });

  for (const schema of [
    { pattern: exponential, maxLength: 20 },
    { pattern: backtracked, maxLength: 20 },
    { anyOf: [{ pattern: backtracked, maxLength: 20 }] },
  ])
    it(`is not matched with a text that is too long for the same schema: ${JSON.stringify(schema)}`, () => {
      expect(validated(schema, attack(60_000))).to.equal(tooLong(20));
    });

  it('is matched with characters of two code units up to its maxLength', () => {
    const schema = { pattern: '^.*🐕+$', maxLength: 4 };
    expect(validated(schema, '🐕'.repeat(4))).to.equal('valid');
    expect(validated(schema, '🐈'.repeat(4))).to.equal(mismatch(schema.pattern));
    expect(validated(schema, '🐕'.repeat(5))).to.equal(tooLong(4));
  });

  for (const pattern of ['^(?:(?=[a-z])a+)+$', '^(a+)+\\1$', '^a+.*a.{50}b|a$'])
    it(`that can take long without an automaton does not stop the process: ${pattern}`, () => {
      const schema = { items: { pattern } };
      expect(validated(schema, ['aa', 'a'.repeat(12)])).to.equal('valid');
      const texts = Array.from({ length: 50 }, (_, index) => `${'a'.repeat(60 + index)}!`);
      expect(validated(schema, texts)).to.match(/must match the pattern/);
    });

  for (const pattern of ['^(?:a*a*){9}\\b!$', '^(?:\\w|[a]|a|[a-b]|[a-c]|[a-d]|[a-e]|[a-f]|[a-g]){9}\\b!$'])
    it(`that can take long with a short text does not stop the process: ${pattern}`, () => {
      const before = process.cpuUsage();
      expect(validated({ pattern }, `${'a'.repeat(15)}.`)).to.equal(mismatch(pattern));
      expect(process.cpuUsage(before).user).to.be.below(1_000_000);
    });

  for (const [title, schema, value, expected] of [
    ['a text that matches', { pattern: lookahead }, `${'a'.repeat(3000)}c`, 'valid'],
    ['a text that does not match', { pattern: lookahead }, `${'a'.repeat(3000)}d`, mismatch(lookahead)],
    ['a name', { patternProperties: { [lookahead]: false } }, { [`${'a'.repeat(3000)}c`]: 1 }, ' is not allowed.'],
  ] as const)
    it(`without an automaton is matched with any length that takes little time: ${title}`, () => {
      // In the same turn of the event loop, another value has taken all of its time.
      expect(validated({ pattern: '^(a+)+\\1$' }, `${'a'.repeat(60)}!`)).not.to.equal('valid');
      expect(validated(schema, value)).to.include(expected);
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
