import { isUtf8 } from 'node:buffer';
import { jsonValue, leaves, name } from '@contract-server/test-support/json-value.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { isFraction, type JsonValue, parseJson, stringifyJson, TooManyValues } from '#dist/json/exact-json.js';
import { int64Max, int64Min } from '#dist/json/int64.js';
import { parseJsonLines } from '#dist/json/json-lines.js';

const parse = (text: string): JsonValue => parseJson(Buffer.from(text));

/** The error message for a text; `undefined` if it is valid. Any other error than SyntaxError fails the test. */
function errorMessageOf(bytes: Uint8Array | string): string | undefined {
  try {
    parseJson(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error.message;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const indent = fc.constantFrom('', ' ', '\t', '\r\n ');
const jsonText = fc.tuple(jsonValue, indent).map(([value, space]) => JSON.stringify(value, null, space));

/** The same text with every character of its strings escaped. */
function escaped(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => {
    const units = (JSON.parse(quoted) as string).split('');
    return `"${units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
  });
}

describe('parseJson', () => {
  it('returns the same values as JSON.parse', () => {
    fc.assert(
      fc.property(jsonText, (json) => {
        const expected = JSON.stringify(JSON.parse(json));
        for (const text of [json, escaped(json), `\n\t${json}\r `])
          expect(JSON.stringify(parse(text))).to.equal(expected);
      }),
    );
  });

  it('rejects what JSON.parse rejects, except for a byte order mark, and more for four reasons only', () => {
    const added = fc.constantFrom('', ...Array.from('{}[],:"\\0-1.eE+tn \u0000x\ufeff'));
    const altered = fc.tuple(jsonText, fc.nat(), fc.nat(2), added).map(([json, at, removed, text]) => {
      const start = at % (json.length + 1);
      return json.slice(0, start) + text + json.slice(start + removed);
    });
    fc.assert(
      fc.property(altered, (json) => {
        const message = errorMessageOf(json);
        if (message === undefined) expect(isJson(json.replace(/^\ufeff/, ''))).to.equal(true);
        else if (isJson(json))
          expect(message).to.match(/duplicate property name|unpaired surrogate|nested deeper|beyond the range/);
      }),
      { numRuns: 500 },
    );
  });

  it('ignores one byte order mark, at the start only', () => {
    expect(parse('\ufeff{"a":1}')).to.deep.equal(parse('{"a":1}'));
    for (const text of ['\ufeff\ufeff1', ' \ufeff1', '1\ufeff', '\ufeff'])
      expect(() => parse(text)).to.throw(SyntaxError);
  });

  it('parses every 64-bit integer exactly, anywhere in the text', () => {
    const expectExact = (value: bigint) => {
      const read = parse(`{"a":[${String(value)}]}`) as { a: (number | bigint)[] };
      const expected = Number.isSafeInteger(Number(value)) ? Number(value) : value;
      expect(read.a).to.deep.equal([expected]);
    };
    fc.assert(fc.property(fc.bigInt(int64Min, int64Max), expectExact));
    for (const value of [int64Min, int64Max, 0n]) expectExact(value);
  });

  it('parses any other number as a double, and recognizes those that are not written as the integer they equal', () => {
    for (const text of ['-0.5', '1E-2', '9223372036854775808', '-9223372036854775809', `0.${'1'.repeat(20_000)}`])
      expect(parse(text)).to.equal(Number(text));
    const array = parse('[1, 1.0, 1e3, -0.0, 0.5, [2.0], 3]') as unknown as object[];
    expect(array).to.deep.equal([1, 1, 1000, -0, 0.5, [2], 3]);
    const isFractionAt = array.map((_, index) => isFraction(array, index));
    expect(isFractionAt).to.deep.equal([false, true, true, true, false, false, false]);
    expect(isFraction(array[5] ?? [], 0)).to.equal(true);
    const lines = parseJsonLines(Buffer.from('1\n1.0\n[1.0]\n{"a":1}'));
    expect(lines.map((_, index) => isFraction(lines, index))).to.deep.equal([false, true, false, false]);
    const object = parse('{"a":1.0,"b":1,"__proto__":1.0}') as object;
    expect(['a', 'b', '__proto__'].map((name) => isFraction(object, name))).to.deep.equal([true, false, true]);
  });

  it('rejects invalid numbers', () => {
    for (const text of '01|-|+1|1.|.5|1e|1e+|0x1|NaN|Infinity|- 1|1 2|--1|1_0'.split('|'))
      expect(errorMessageOf(text), text).to.be.a('string');
    for (const text of ['1e400', '9'.repeat(20_000), `-1e${'1'.repeat(20_000)}`])
      expect(errorMessageOf(`[${text}]`)).to.equal('number beyond the range of a double, at character 2.');
  });

  it('rejects a duplicate name in an object, escaped or not, with its position', () => {
    expect(errorMessageOf('{"a":1,"a":2}')).to.equal('duplicate property name "a", at character 8.');
    expect(errorMessageOf('{"a":1,"\\u0061":2}')).to.contain('duplicate property name "a"');
    expect(errorMessageOf('[{"x":{"__proto__":1,"__proto__":1}}]')).to.contain('duplicate property name "__proto__"');
    expect(errorMessageOf('{"a":{"a":1},"b":[{"a":1},{"a":2}]}')).to.equal(undefined);
    const long = 'n'.repeat(5000);
    expect(errorMessageOf(`{"${long}":1,"${long}":2}`)).to.have.lengthOf.below(150);
  });

  it('treats __proto__ and similar names as ordinary names', () => {
    const value = parse('{"__proto__":{"admin":true},"toString":1}') as Record<string, unknown>;
    expect(Object.keys(value)).to.deep.equal(['__proto__', 'toString']);
    expect([Object.getPrototypeOf(value), value['admin']]).to.deep.equal([Object.prototype, undefined]);
    expect(value['constructor']).to.equal(Object);
    expect(({} as Record<string, unknown>)['admin']).to.equal(undefined);
  });

  it('rejects a lone surrogate, and accepts a surrogate pair, escaped or not', () => {
    for (const half of ['\\ud83d', '\\ude00', '\\ude00\\ud83d', '\\ud83d\\ud83d\\ude00', 'x\\ud83dx']) {
      for (const text of [`"${half}"`, `{"${half}":1}`])
        expect(errorMessageOf(text), text).to.contain('unpaired surrogate');
    }
    for (const text of ['"\\ud83d\\ude00"', '"😀"']) expect(parse(text)).to.equal('😀');
  });

  it('rejects invalid UTF-8', () => {
    for (const hex of ['ff', 'c080', 'e08080', 'eda080', 'f4908080', 'f09f98', '80'])
      expect(errorMessageOf(Buffer.from(`22${hex}22`, 'hex')), hex).to.equal('invalid UTF-8.');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8 }), (bytes) => {
        const quoted = Buffer.concat([Buffer.from('"'), bytes, Buffer.from('"')]);
        if (!isUtf8(quoted)) expect(errorMessageOf(quoted)).to.equal('invalid UTF-8.');
      }),
    );
  });

  for (const [text, message] of [
    ['1 2', 'unexpected characters after the JSON value, at character 3.'],
    ['[x]', 'expected a value, at character 2.'],
    ['[1 2]', 'expected a comma or a closing bracket, at character 4.'],
    ['{a:1}', 'expected a property name in double quotes, at character 2.'],
    ['{"a" 1}', 'expected a colon, at character 6.'],
    ['{"a":1 "b":2}', 'expected a comma or a closing brace, at character 8.'],
    ['"a\nb"', 'unterminated string or unescaped character, at character 3.'],
    ['{"name":"Rex"', 'unexpected end of JSON, after 13 characters.'],
    ['', 'unexpected end of JSON, after 0 characters.'],
  ] as const)
    it(`reports the position of the first error of ${JSON.stringify(text)}`, () => {
      expect(errorMessageOf(text)).to.equal(message);
    });

  it('rejects more values than the maximum, arrays and objects included', () => {
    const bytes = Buffer.from('[1,{"a":2}]');
    expect(parseJson(bytes, 4)).to.be.an('array');
    expect(() => parseJson(bytes, 3)).to.throw(TooManyValues, 'more than 3 values');
  });

  it('parses only the given part of a larger buffer', () => {
    expect(parseJson(Buffer.from('xx[1]yy').subarray(2, 5))).to.deep.equal([1]);
  });

  it('accepts 64 levels of nesting and rejects 65', () => {
    const arrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const objects = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
    expect(JSON.stringify(parse(arrays(64)))).to.equal(arrays(64));
    expect(errorMessageOf(arrays(65))).to.equal('nested deeper than 64 levels, at character 65.');
    expect(errorMessageOf(objects(64))).to.equal(undefined);
    expect(errorMessageOf(objects(66))).to.contain('nested deeper than 64 levels');
  });

  it('rejects every truncated text', () => {
    fc.assert(
      fc.property(
        jsonText.filter((json) => /[\]}"]$/.test(json)),
        (json) => {
          // Truncates at characters, because half a character is rejected as invalid UTF-8.
          const characters = Array.from(json);
          for (let length = 0; length < characters.length; length += 1)
            expect(errorMessageOf(characters.slice(0, length).join('')), json).to.be.a('string');
        },
      ),
      { numRuns: 40 },
    );
  });

  it('throws only SyntaxError for arbitrary bytes', () => {
    const unit = fc.constantFrom(...Array.from('{}[],:"\\u0019ade-.E trufalsn\n'));
    const texts = fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.string({ unit, maxLength: 60 }));
    fc.assert(
      fc.property(texts, (bytes) => void errorMessageOf(bytes)),
      { numRuns: 2000 },
    );
  });
});

describe('stringifyJson', () => {
  it('writes the same text as JSON.stringify, with and without a bigint', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(stringifyJson(value)).to.equal(JSON.stringify(value));
        expect(stringifyJson([value, 1n])).to.equal(JSON.stringify([value, 1]));
      }),
    );
  });

  it('writes a bigint as an integer, and omits members that are undefined', () => {
    const value = { a: [2n ** 63n - 1n, -(2n ** 63n)], b: undefined, c: 1 };
    expect(stringifyJson(value)).to.equal('{"a":[9223372036854775807,-9223372036854775808],"c":1}');
    expect(stringifyJson({ b: undefined, c: 1 })).to.equal('{"c":1}');
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
        expect(stringifyJson(parse(json))).to.equal(json);
      }),
    );
  });
});
