import { expect } from 'chai';
import fc from 'fast-check';
import { parseJson, stringifyJson } from '#src/json/exact-json.js';
import { int64Max, int64Min } from '#src/json/int64.js';
import { jsonValue, leaves, name } from '../support/json-value.js';

describe('stringifyJson', () => {
  it('writes the same text as JSON.stringify, with and without an indentation or a bigint', () => {
    fc.assert(
      fc.property(jsonValue, fc.constantFrom(0, 2), (value, indent) => {
        expect(stringifyJson(value, indent)).to.equal(JSON.stringify(value, undefined, indent));
        expect(stringifyJson([value, 1n], indent)).to.equal(JSON.stringify([value, 1], undefined, indent));
      }),
    );
  });

  it('indents a bigint, and omits members that are undefined', () => {
    expect(stringifyJson({ a: [2n ** 63n - 1n, -(2n ** 63n)], b: undefined }, 2)).to.equal(
      '{\n  "a": [\n    9223372036854775807,\n    -9223372036854775808\n  ]\n}',
    );
  });

  it('writes a bigint as an integer', () => {
    expect(stringifyJson({ a: [9223372036854775807n, -1n] })).to.equal('{"a":[9223372036854775807,-1]}');
  });

  it('omits members that are undefined', () => {
    expect(stringifyJson({ a: undefined, b: 1 })).to.equal('{"b":1}');
  });

  it('writes the text that parseJson has parsed, byte for byte', () => {
    const wide = fc.anything({
      values: [...leaves, fc.bigInt(int64Min, int64Max)],
      key: name,
      maxDepth: 4,
      maxKeys: 6,
    });
    fc.assert(
      fc.property(wide, (value) => {
        const json = stringifyJson(value);
        expect(stringifyJson(parseJson(Buffer.from(json)))).to.equal(json);
      }),
    );
  });
});
