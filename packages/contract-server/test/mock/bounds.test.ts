import { schemasOf } from '@contract-server/core/contract/schemas.js';
import { contractOf, errorsOf, jsonOf, startMockOf, useMockOf } from '@contract-server/test-support/servers/mocked.js';
import { expect } from 'chai';
import { expandSchema } from '#src/mock/expand-schema.js';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Schemas each of which contains the next one twice: a value has 2^20 of the last one. */
const doubled = (prefix: string, required: readonly string[]) =>
  Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => {
      const next = index === 19 ? { type: 'string' } : ref(`${prefix}${String(index + 1)}`);
      return [`${prefix}${String(index)}`, { type: 'object', required, properties: { a: next, b: next } }];
    }),
  );

/** A schema within so many others. */
const within = (depth: number, outer: (inner: object) => object) =>
  Array.from({ length: depth }).reduce<object>((inner) => outer(inner), { type: 'string' });

const schemas = {
  ...doubled('Optional', []),
  ...doubled('Required', ['a', 'b']),
  ...doubled('Branch', []),
  Endless: { type: 'object', required: ['next'], properties: { next: ref('Endless') } },
  Wide: {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${String(index)}`, ref('Wide2')])),
  },
  Wide2: { type: 'object', properties: { wide: { type: 'array', items: ref('Optional0') }, self: ref('Wide') } },
};

/** Whether there is a value of a bounded size. */
const cases: readonly (readonly [name: string, schema: object, status: 200 | 501])[] = [
  ['doubledOptional', ref('Optional0'), 200],
  ['doubledRequired', ref('Required0'), 501],
  ['wide', ref('Wide'), 200],
  ['endless', ref('Endless'), 501],
  ['manyItems', { type: 'array', minItems: 1e9, items: {} }, 501],
  ['nestedItems', within(9, (items) => ({ type: 'array', minItems: 90, items })), 501],
  ['deepArrays', within(100, (items) => ({ type: 'array', items })), 200],
  ['deepRequired', within(100, (x) => ({ type: 'object', required: ['x'], properties: { x } })), 501],
  ['manyProperties', { type: 'object', minProperties: 1e9 }, 501],
  ['longText', { type: 'string', minLength: 1e9 }, 501],
  ['longPattern', { type: 'string', pattern: '^[a-z]{1000000}$' }, 501],
  ['nestedPattern', { type: 'string', pattern: '^((([a-z]{900}){900}){900}){900}$' }, 501],
  [
    'alternatives',
    { allOf: Array.from({ length: 20 }, () => ({ oneOf: [ref('Optional0'), ref('Optional1'), { type: 'integer' }] })) },
    501,
  ],
];

describe('the bounds of a sample', () => {
  const operations = cases.map(([name, schema]) => [name, jsonOf(schema)] as const);
  const document = contractOf(Object.fromEntries(operations), { schemas });
  const mock = useMockOf(document);

  for (const [name, schema, expected] of cases) {
    it(`${expected === 200 ? 'leave a valid value' : 'are exceeded, which is a 501'}: ${name}`, async () => {
      const { status, text } = await mock.send(`/${name}`);
      expect(status, text).to.equal(expected);
      if (expected === 200) expect(errorsOf(document, schema, JSON.parse(text))).to.deep.equal([]);
      else {
        const message = `The mock finds no valid body for ${name} 200. Add an example to the contract.`;
        expect(JSON.parse(text)).to.deep.equal({ code: 'not_implemented', message, status: 501 });
      }
      expect(text.length).to.be.lessThan(100_000);
    });

    it(`limit the number of visited schemas: ${name}`, () => {
      const options = { hasExamples: true, hasOptional: true, invalidExamples: new Set<string>(), failures: new Map() };
      expect(expandSchema(schemasOf(document), schema, options).visited).to.be.lessThan(3000);
    });
  }

  it('do not apply to an example of the contract', async () => {
    const { send } = await startMockOf(
      contractOf({ longText: jsonOf({ type: 'string', minLength: 20_000 }, { example: 'x'.repeat(20_000) }) }),
    );
    expect(JSON.parse((await send('/longText')).text)).to.have.length(20_000);
  });
});
