import { expect } from 'chai';
import fc from 'fast-check';
import { int64Max, int64Min, parseInt64 } from '#dist/json/int64.js';

/** Integers on both sides of every limit: 64 bits, 2^53, and the length of the fast path. */
const limits = [0n, 10n ** 14n, 10n ** 15n, 2n ** 53n - 1n, 2n ** 53n, int64Max, int64Max + 1n, 10n ** 18n, 10n ** 19n];

/** Checks the guarantee of `parseInt64` for an integer. */
function expectExact(value: bigint): void {
  const fits = value >= int64Min && value <= int64Max;
  const expected = Number.isSafeInteger(Number(value)) ? Number(value) : value;
  expect(parseInt64(String(value)), String(value)).to.equal(fits ? expected : undefined);
}

describe('parseInt64', () => {
  it('is exact around every limit, and returns undefined beyond 64 bits', () => {
    for (const value of limits.flatMap((limit) => [limit - 1n, limit, limit + 1n])) {
      expectExact(value);
      expectExact(-value);
    }
  });

  it('returns every 64-bit integer exactly: a number up to 2^53 − 1, a bigint beyond', () => {
    fc.assert(fc.property(fc.bigInt(int64Min, int64Max), expectExact));
    fc.assert(fc.property(fc.maxSafeInteger(), (value) => expectExact(BigInt(value))));
  });

  it('returns undefined for every integer of more than 64 bits, however long', () => {
    fc.assert(fc.property(fc.bigInt(int64Max + 1n, 10n ** 400n), expectExact));
    fc.assert(fc.property(fc.bigInt(-(10n ** 400n), int64Min - 1n), expectExact));
    expect(parseInt64('9'.repeat(20_000))).to.equal(undefined);
  });

  it('returns 0 for -0', () => {
    expect(Object.is(parseInt64('-0'), 0)).to.equal(true);
  });

  it('accepts plain decimals only', () => {
    for (const text of [
      ...['', ' ', '-', '+5', ' 5', '5 ', '5\n', '\n5', '007', '-007', '00', '0x10', '1e1', '1.0', '.5', '1_000'],
      ...['1n', 'NaN', 'Infinity', '−5', '٣', '５', '1,000'],
    ])
      expect(parseInt64(text), JSON.stringify(text)).to.equal(undefined);
  });

  it('accepts only the text that String writes for the integer', () => {
    const digits = fc.string({ unit: fc.constantFrom(...Array.from('0123456789-+.eE xn')), maxLength: 24 });
    fc.assert(
      fc.property(fc.oneof(digits, fc.string()), (text) => {
        const read = parseInt64(text);
        if (read !== undefined) expect(text === '-0' ? '0' : text).to.equal(String(read));
      }),
    );
  });
});
