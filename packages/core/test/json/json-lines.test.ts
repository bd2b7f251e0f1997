import { expect } from 'chai';
import { isFraction } from '#dist/json/exact-json.js';
import { parseJsonLines, stringifyJsonLines } from '#dist/json/json-lines.js';

const parse = (text: string, valuesMax?: number) => parseJsonLines(Buffer.from(text), valuesMax);

describe('JSON lines', () => {
  const texts: readonly (readonly [text: string, values: readonly unknown[]])[] = [
    ['', []],
    ['1', [1]],
    ['1\n2\n', [1, 2]],
    ['\r\n 1\r\n\t\n2', [1, 2]],
    ['\ufeff{"a":1}', [{ a: 1 }]],
    ['\ufeff\n1', [1]],
    ['\ufeff', []],
  ];
  for (const [text, values] of texts) {
    it(`parses ${JSON.stringify(text)}`, () => {
      expect(parse(text)).to.deep.equal(values);
    });
  }

  it('records which numbers are written with a fraction or an exponent, as in an array', () => {
    const values = parse('1\n1.0\n1e2\n{"a":1.0}');
    expect(values.map((_, index) => isFraction(values, index))).to.deep.equal([false, true, true, false]);
    expect(isFraction(values[3] as object, 'a')).to.equal(true);
  });

  it('counts the number of a line with blank ones, and the values of all lines', () => {
    expect(() => parse('\n\n1\n \n}')).to.throw(SyntaxError, 'line 5: ');
    expect(() => parse('\ufeff1\n}')).to.throw(SyntaxError, 'line 2: ');
    expect(parse('[1]\n2', 3)).to.deep.equal([[1], 2]);
    expect(() => parse('[1]\n2', 2)).to.throw('more than 2 values');
  });

  it('writes null for a value that JSON does not have', () => {
    expect(stringifyJsonLines([1, undefined, () => 1, Number.NaN, 2n ** 63n])).to.equal(
      '1\nnull\nnull\nnull\n9223372036854775808\n',
    );
  });
});
