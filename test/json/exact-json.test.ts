import { isUtf8 } from 'node:buffer';
import { expect } from 'chai';
import fc from 'fast-check';
import { isFraction, type JsonValue, MalformedJson, parseJson } from '#src/json/exact-json.js';
import { int64Max, int64Min } from '#src/json/int64.js';
import { jsonValue } from '../support/json-value.js';

const parse = (text: string): JsonValue => parseJson(Buffer.from(text));

/** The error message for a text; `undefined` if it is valid. Any other error than MalformedJson fails the test. */
function errorMessageOf(bytes: Uint8Array | string): string | undefined {
  try {
    parseJson(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    return undefined;
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
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
        expect(JSON.stringify(parse(json))).to.equal(expected);
        expect(JSON.stringify(parse(escaped(json)))).to.equal(expected);
        expect(JSON.stringify(parse(`\n\t${json}\r `))).to.equal(expected);
      }),
    );
  });

  it('rejects everything that JSON.parse rejects, and more for three reasons only', () => {
    const splice = fc.tuple(
      jsonText,
      fc.nat(),
      fc.nat(2),
      fc.constantFrom('', ...Array.from('{}[],:"\\0-1.eE+tn \u0000x\ufeff')),
    );
    const altered = splice.map(([json, at, removed, added]) => {
      const start = at % (json.length + 1);
      return json.slice(0, start) + added + json.slice(start + removed);
    });
    fc.assert(
      fc.property(altered, (json) => {
        const apiError = errorMessageOf(json);
        if (apiError === undefined) expect(isJson(json)).to.equal(true);
        else if (isJson(json)) expect(apiError).to.match(/duplicate property name|unpaired surrogate|nested deeper/);
      }),
      { numRuns: 500 },
    );
  });

  it('parses every 64-bit integer exactly, anywhere in the text', () => {
    fc.assert(
      fc.property(fc.bigInt(int64Min, int64Max), (value) => {
        const read = parse(`{"a":[${String(value)}]}`) as { a: (number | bigint)[] };
        expect(BigInt(read.a[0] ?? NaN)).to.equal(value);
        expect(typeof read.a[0]).to.equal(Number.isSafeInteger(Number(value)) ? 'number' : 'bigint');
      }),
    );
    expect(parse('9223372036854775807')).to.equal(9223372036854775807n);
    expect(parse('-9223372036854775808')).to.equal(-9223372036854775808n);
  });

  it('parses any other number as a double, and recognizes those that are not written as the integer they equal', () => {
    for (const text of ['-0.5', '1E-2', '9223372036854775808', '-9223372036854775809', `0.${'1'.repeat(20_000)}`])
      expect(parse(text)).to.equal(Number(text));
    for (const text of ['1e400', '9'.repeat(20_000), `-1e${'1'.repeat(20_000)}`]) expect(parse(text)).to.be.NaN;
    const array = parse('[1, 1.0, 1e3, -0.0, 0.5, [2.0], 3]') as unknown as object[];
    expect(array).to.deep.equal([1, 1, 1000, -0, 0.5, [2], 3]);
    expect(array.map((_, index) => isFraction(array, index))).to.deep.equal([
      false,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(isFraction(array[5] ?? [], 0)).to.equal(true);
    const object = parse('{"a":1.0,"b":1,"__proto__":1.0}') as object;
    expect(['a', 'b', '__proto__'].map((name) => isFraction(object, name))).to.deep.equal([true, false, true]);
  });

  it('rejects invalid numbers', () => {
    for (const number of [
      '01',
      '-',
      '+1',
      '1.',
      '.5',
      '1e',
      '1e+',
      '0x1',
      'NaN',
      'Infinity',
      '- 1',
      '1 2',
      '--1',
      '1_0',
    ]) {
      expect(errorMessageOf(number), number).to.be.a('string');
    }
  });

  it('rejects a duplicate name in an object, escaped or not, with its position', () => {
    expect(errorMessageOf('{"a":1,"a":2}')).to.equal('duplicate property name "a", at character 8.');
    expect(errorMessageOf('{"a":1,"\\u0061":2}')).to.contain('duplicate property name "a"');
    expect(errorMessageOf('[{"x":{"__proto__":1,"__proto__":1}}]')).to.contain('duplicate property name "__proto__"');
    expect(errorMessageOf('{"a":{"a":1},"b":[{"a":1},{"a":2}]}')).to.equal(undefined);
  });

  it('truncates a long name in the message', () => {
    const long = 'n'.repeat(5000);
    expect(errorMessageOf(`{"${long}":1,"${long}":2}`)).to.have.lengthOf.below(150);
  });

  it('treats __proto__ and similar names as ordinary names', () => {
    const value = parse('{"__proto__":{"admin":true},"toString":1}') as Record<string, unknown>;
    expect(Object.keys(value)).to.deep.equal(['__proto__', 'toString']);
    expect(Object.getPrototypeOf(value)).to.equal(null);
    expect(value['admin']).to.equal(undefined);
    expect(({} as Record<string, unknown>)['admin']).to.equal(undefined);
  });

  it('rejects a lone surrogate, and accepts a surrogate pair, escaped or not', () => {
    for (const half of ['\\ud83d', '\\ude00', '\\ude00\\ud83d', '\\ud83d\\ud83d\\ude00', 'x\\ud83dx']) {
      expect(errorMessageOf(`"${half}"`), half).to.contain('unpaired surrogate');
      expect(errorMessageOf(`{"${half}":1}`), half).to.contain('unpaired surrogate');
    }
    expect(parse('"\\ud83d\\ude00"')).to.equal('😀');
    expect(parse('"😀"')).to.equal('😀');
  });

  it('rejects invalid UTF-8', () => {
    const invalid = [
      [0xff],
      [0xc0, 0x80],
      [0xe0, 0x80, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf0, 0x9f, 0x98],
      [0x80],
    ];
    for (const bytes of invalid) expect(errorMessageOf(Buffer.from([0x22, ...bytes, 0x22]))).to.equal('invalid UTF-8.');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8 }), (bytes) => {
        const quoted = Buffer.concat([Buffer.from('"'), bytes, Buffer.from('"')]);
        if (!isUtf8(quoted)) expect(errorMessageOf(quoted)).to.equal('invalid UTF-8.');
      }),
    );
  });

  it('parses only the given part of a larger buffer', () => {
    expect(parseJson(Buffer.from('xx[1]yy').subarray(2, 5))).to.deep.equal([1]);
  });

  it('accepts 64 levels of nesting and rejects 65', () => {
    const nested = (levels: number) => '[{"a":'.repeat(levels / 2) + '[]'.repeat(levels % 2) + '}]'.repeat(levels / 2);
    const arrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(JSON.stringify(parse(arrays(64)))).to.equal(arrays(64));
    expect(errorMessageOf(arrays(65))).to.equal('nested deeper than 64 levels, at character 65.');
    expect(errorMessageOf(nested(64).replace(':}', ':1}'))).to.equal(undefined);
    expect(errorMessageOf(nested(66))).to.contain('nested deeper than 64 levels');
  });

  it('rejects every truncated text, with what is missing', () => {
    fc.assert(
      fc.property(
        jsonText.filter((json) => /[\]}"]$/.test(json)),
        (json) => {
          // Truncates at characters, because half a character is rejected as invalid UTF-8.
          const characters = Array.from(json);
          for (let length = 0; length < characters.length; length += 1) {
            expect(errorMessageOf(characters.slice(0, length).join('')), json).to.be.a('string');
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(errorMessageOf('{"name":"Rex"')).to.equal('unexpected end of JSON, after 13 characters.');
    expect(errorMessageOf('')).to.equal('unexpected end of JSON, after 0 characters.');
  });

  it('throws only MalformedJson for arbitrary bytes', () => {
    const nearJson = fc.string({
      unit: fc.constantFrom(...Array.from('{}[],:"\\u0019ade-.E trufalsn\n')),
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), nearJson), (bytes) => void errorMessageOf(bytes)),
      { numRuns: 2000 },
    );
  });

  describe('on 64 KiB', () => {
    const size = 65_536;
    const fill = (unit: string, tail = '') => unit.repeat(Math.floor(size / unit.length)) + tail;
    const rejected = {
      brackets: fill('['),
      quotes: fill('"'),
      backslashes: `"${fill('\\')}`,
      objects: fill('{"a":'),
      commas: fill(','),
    };
    const read = {
      blanks: `${fill(' ')}1`,
      numbers: `[${fill('1,', '1')}]`,
      digits: fill('7'),
      escapes: `"${fill('\\n')}"`,
      letters: `"${fill('é')}"`,
      strings: `[${fill('"a",', '""')}]`,
      members: `{${Array.from({ length: 6000 }, (_, index) => `"n${String(index)}":1`).join(',')}}`,
    };

    for (const [what, json] of Object.entries({ ...rejected, ...read })) {
      it(`reads each byte a bounded number of times: ${what}`, () => {
        const { looks, apiError } = countLooks(json);
        expect(apiError === undefined, apiError).to.equal(what in read);
        expect(looks).to.be.at.most(4 * json.length);
      });
    }
  });
});

/** The number of matches: all other work of the parser is constant per match or per character. */
function countLooks(json: string): { readonly looks: number; readonly apiError: string | undefined } {
  const exec = Object.getOwnPropertyDescriptor(RegExp.prototype, 'exec') as TypedPropertyDescriptor<RegExp['exec']>;
  let looks = 0;
  const counting = function (this: RegExp, client: string): RegExpExecArray | null {
    looks += 1;
    return exec.value?.call(this, client) ?? null;
  };
  Object.defineProperty(RegExp.prototype, 'exec', { ...exec, value: counting });
  try {
    return { apiError: errorMessageOf(json), looks };
  } finally {
    Object.defineProperty(RegExp.prototype, 'exec', exec);
  }
}
