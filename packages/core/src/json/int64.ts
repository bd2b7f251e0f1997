/**
 * An exact 64-bit integer: a `number` within ±(2^53 − 1), a `bigint` beyond. Equal integers have the same type, so
 * `===`, `<` and `String` work for both.
 */
export type Int64 = number | bigint;

export const int64Min = -(2n ** 63n);
export const int64Max = 2n ** 63n - 1n;

const plainDecimal = /^-?(?:0|[1-9][0-9]{0,18})$/;

/**
 * Parses a plain decimal integer, without rounding: no sign but `-`, no leading zeros, fraction, exponent or blanks.
 * Returns `undefined` for any other text, and for an integer of more than 64 bits.
 */
export function parseInt64(text: string): Int64 | undefined {
  if (!plainDecimal.test(text)) return undefined;
  const rounded = Number(text);
  // No integer beyond 2^53 − 1 is rounded to one below. Adding 0 turns -0 into 0.
  if (Number.isSafeInteger(rounded)) return rounded + 0;
  const value = BigInt(text);
  return value < int64Min || value > int64Max ? undefined : value;
}
