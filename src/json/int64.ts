/**
 * A 64-bit integer, exact: a `number` within ±(2^53 − 1), a `bigint` beyond. Whoever compares or prints one needs not
 * care: `<`, `===` among equals and `String` give the same answer for both.
 */
export type Int64 = number | bigint;

export const int64Min = -(2n ** 63n);
export const int64Max = 2n ** 63n - 1n;

const plainDecimal = /^-?(?:0|[1-9][0-9]{0,18})$/;
/** Integers of up to this many characters, sign included, are safe as a `number`. */
const alwaysSafeLength = 15;

/**
 * Reads a plain decimal integer: no sign but `-`, no leading zeros, fraction, exponent or blanks.
 * `undefined` for anything else, and for what does not fit into 64 bits. Never rounds.
 */
export function parseInt64(text: string): Int64 | undefined {
  if (!plainDecimal.test(text)) return undefined;
  // Adding 0 turns -0, which JSON would write as 0 but which compares oddly, into 0.
  if (text.length <= alwaysSafeLength) return Number(text) + 0;
  const value = BigInt(text);
  if (value < int64Min || value > int64Max) return undefined;
  const rounded = Number(value);
  return Number.isSafeInteger(rounded) ? rounded : value;
}
