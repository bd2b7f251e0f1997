import { expect } from 'chai';
import fc from 'fast-check';
import { parseJson, stringifyJson } from '#src/json/exact-json.js';
import { int64Max, int64Min } from '#src/json/int64.js';
import { jsonValue, leaves, name } from '../support/json-value.js';

describe('stringifyJson', () => {
  it('writes what JSON.stringify writes', () => {
    fc.assert(fc.property(jsonValue, (value) => void expect(stringifyJson(value)).to.equal(JSON.stringify(value))));
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
