import {
  parseJson as parseAsServer,
  stringifyJson as stringifyAsServer,
} from '@contract-server/core/json/exact-json.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseJson, stringifyJson } from '#dist/exact-json.js';

const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((value) => {
  const rounded = Number(value);
  return Number.isSafeInteger(rounded) ? rounded : value;
});
const digits = fc.string({
  unit: fc.constantFrom(...Array.from('0123456789"\\,:{}[]-. ')),
  minLength: 17,
  maxLength: 24,
});
/** Any JSON, with integers of any size and strings that look like them. */
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc.array(tie('json')),
    fc.dictionary(fc.oneof(fc.string(), digits), tie('json')),
  ),
  leaf: fc.oneof(int64, fc.string({ unit: 'binary' }), digits, fc.boolean(), fc.constant(null)),
}));

describe('the JSON functions of the client', () => {
  it('parse what they have serialized', () => {
    fc.assert(fc.property(json, (value) => void expect(parseJson(stringifyJson(value))).to.deep.equal(value)));
  });

  it('agree with the server for every 64-bit integer', () => {
    fc.assert(
      fc.property(int64, (categoryId) => {
        const pet = { name: 'Rex', categoryId };
        const text = stringifyJson(pet);
        expect(text).to.equal(stringifyAsServer(pet));
        expect(parseJson(text)).to.deep.equal({ ...(parseAsServer(Buffer.from(text)) as object) });
      }),
    );
  });

  it('support white space, fractions, exponents and unusual names next to a large integer', () => {
    for (const [text, value] of [
      [' { "a" : [ 9007199254740993 , -9223372036854775808 ] } ', { a: [9007199254740993n, -9223372036854775808n] }],
      ['{"b\\",":"1234567890123456789","c":{},"d":[ ]}', { 'b",': '1234567890123456789', c: {}, d: [] }],
      ['[0.1234567890123456789, 1.5e3, 12345678901234567e-1]', [0.12345678901234568, 1500, 1234567890123456.8]],
      ['{"__proto__":9007199254740991}', Object.fromEntries([['__proto__', 9007199254740991]])],
    ] as const)
      expect(parseJson(text), text).to.deep.equal(value);
  });

  it('reject invalid JSON', () => {
    for (const text of ['', '<html>', '{"id":1', '[1,]', '[9007199254740993', '01', '{"a":9007199254740993,}'])
      expect(() => parseJson(text), text).to.throw(SyntaxError);
  });

  it('serialize like JSON.stringify what is not JSON', () => {
    const at = new Date('2026-11-20T12:00:00Z');
    for (const value of [
      ...[undefined, Symbol('x'), [1, undefined, at, [,]], [-0, 1e-7, 0.5, null]],
      { at, nothing: undefined, method: () => 1, symbol: Symbol('x'), list: [() => 1] },
      ...[{ toJSON: () => ({ nested: at }) }, { toJSON: () => undefined }],
    ]) {
      expect(stringifyJson({ value })).to.equal(JSON.stringify({ value }));
      expect(stringifyJson([value, 1n])).to.equal(JSON.stringify([value, 1]));
    }
    expect(stringifyJson({ toJSON: () => ({ id: 2n ** 63n }) })).to.equal('{"id":9223372036854775808}');
  });

  it('do not serialize a number that may have been rounded', () => {
    expect(() => stringifyJson({ categoryId: 2 ** 53 })).to.throw(RangeError, 'Use a bigint.');
    expect(stringifyJson({ categoryId: 2 ** 53 - 1, status: undefined })).to.equal('{"categoryId":9007199254740991}');
  });
});
