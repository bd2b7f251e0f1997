import { expect } from 'chai';
import fc from 'fast-check';
import { areDistinct, finderOf } from '#dist/json/equality.js';
import { parseJson } from '#dist/json/exact-json.js';

const parse = (text: string) => parseJson(Buffer.from(text));

/** Pairs of JSON texts, and whether their values are equal. */
const pairs: readonly (readonly [one: string, other: string, areEqual: boolean])[] = [
  ['1', '1.0', true],
  ['100', '1e2', true],
  ['0', '-0', true],
  ['9223372036854775807', '9223372036854775806', false],
  ['9007199254740993', '9007199254740992', false],
  ['100000000000000000000', '1e20', true],
  ['1', '"1"', false],
  ['1', 'true', false],
  ['null', '"null"', false],
  ['[]', '{}', false],
  ['[]', '"[]"', false],
  ['{}', '"{}"', false],
  ['[1,[2]]', '[1,[2]]', true],
  ['[1,2]', '[2,1]', false],
  ['["a,b"]', '["a","b"]', false],
  ['{"a":1,"b":2}', '{"b":2,"a":1}', true],
  ['{"a":1}', '{"a":1,"b":1}', false],
  ['{"a\\":1":1}', '{"a":1}', false],
  ['{}', '{"toString":""}', false],
  ['{"toString":""}', '{"toString":""}', true],
  ['{"__proto__":1}', '{}', false],
  ['{"__proto__":1}', '{"__proto__":1}', true],
  ['{"constructor":{"valueOf":[1.0]}}', '{"constructor":{"valueOf":[1]}}', true],
];

describe('the equality of JSON values', () => {
  for (const [one, other, areEqual] of pairs)
    it(`${areEqual ? 'holds' : 'does not hold'} for ${one} and ${other}`, () => {
      const values = [one, other].map(parse);
      expect(areDistinct(values)).to.equal(!areEqual);
      expect(finderOf(values.slice(0, 1))(values[1])).to.equal(areEqual);
      expect(finderOf(values.slice(1))(values[0])).to.equal(areEqual);
    });

  it('does not depend on the prototype of objects', () => {
    const withPrototype = { a: [{ b: 1 }] };
    const without = parse('{"a":[{"b":1}]}');
    expect(areDistinct([withPrototype, without])).to.equal(false);
    expect(areDistinct([withPrototype, 'a', without, 'b'])).to.equal(false);
  });

  it('holds for a copy of any value, with its members in another order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = reversed(JSON.parse(JSON.stringify(value)) as unknown);
        expect(areDistinct([value, copy])).to.equal(false);
        expect(areDistinct([value, [copy]])).to.equal(true);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, reversed(member)]));
}
