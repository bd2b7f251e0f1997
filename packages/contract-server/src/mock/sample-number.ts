import type { Schema } from '@contract-server/core/contract/schemas.js';
import { type Int64, int64Max, int64Min } from '@contract-server/core/json/int64.js';

/** Integers without a format are within the range in which a double is exact, unless a bound lies beyond. */
const safeMax = BigInt(Number.MAX_SAFE_INTEGER);
/** How far a number is from its only bound, at most. */
const distanceMax = 1_000_000n;
/** Digits after the decimal point, beyond those of the bounds, for a number between bounds that are close. */
const moreDigits = 2;

/**
 * A number of a schema, computed on decimals, so that it is exact; `undefined` if its bounds allow none.
 *
 * @param variant selects another number, so that several differ.
 */
export function sampleNumber(schema: Schema, variant = 0): Int64 | undefined {
  const isInteger = ![schema['type']].flat().includes('number');
  const bounds = boundsOf(schema);
  const { multipleOf } = schema;
  const scale = Math.max(0, ...[...Object.values<unknown>({ ...bounds }), multipleOf].filter(isNumber).map(scaleOf));
  const one = 10n ** BigInt(scale);
  const unit = isNumber(multipleOf) ? scaled(multipleOf, scale) : one;
  if (isInteger) {
    const range = within(bounds, scale, integerRange(schema, bounds, one));
    const found = nthMultiple(leastCommonMultiple(unit, one), range, variant);
    return found === undefined ? undefined : toInt64(found / one);
  }
  const whole = nthMultiple(unit, within(bounds, scale), variant);
  if (whole !== undefined) return Number(`${String(whole)}e-${String(scale)}`);
  if (multipleOf !== undefined) return undefined;
  // No whole number is within the bounds.
  const found = nthMultiple(1n, within(bounds, scale + moreDigits), variant);
  return found === undefined ? undefined : Number(`${String(found)}e-${String(scale + moreDigits)}`);
}

interface Bounds {
  readonly minimum: unknown;
  readonly maximum: unknown;
  /** Not included, as `below`. */
  readonly above: unknown;
  readonly below: unknown;
}

/** OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`, and 3.1 the bound itself. */
function boundsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): Bounds {
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  return { minimum, maximum, above, below };
}

/** A number that is a multiple of a power of ten: `digits` · 10^-`scale`. */
function decimalOf(value: Int64): { readonly digits: bigint; readonly scale: number } {
  const [, sign = '', whole = '0', part = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(value)) ?? [];
  const digits = BigInt(sign + whole + part);
  const scale = part.length - Number(exponent);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

function scaleOf(value: Int64): number {
  return decimalOf(value).scale;
}

/** A number in units of 10^-`scale`. */
function scaled(value: Int64, scale: number): bigint {
  const decimal = decimalOf(value);
  return decimal.digits * 10n ** BigInt(scale - decimal.scale);
}

type Range = readonly [lowest: bigint, highest: bigint];

/** The range of an integer by its format. */
function integerRange({ format }: Schema, { minimum, maximum, above, below }: Bounds, one: bigint): Range {
  const isBeyond = [minimum, maximum, above, below].some((each) => isNumber(each) && Math.abs(Number(each)) > safeMax);
  if (format === 'int32') return [-(2n ** 31n) * one, (2n ** 31n - 1n) * one];
  if (format === 'int64' || isBeyond) return [int64Min * one, int64Max * one];
  return [-safeMax * one, safeMax * one];
}

/** The range of a number in units of 10^-`scale`. */
function within({ minimum, maximum, above, below }: Bounds, scale: number, range?: Range): Range {
  const lows = [...scaledBound(minimum, scale), ...scaledBound(above, scale).map((each) => each + 1n)];
  const highs = [...scaledBound(maximum, scale), ...scaledBound(below, scale).map((each) => each - 1n)];
  if (range !== undefined) return [greatest([range[0], ...lows]), least([range[1], ...highs])];
  const distance = distanceMax * 10n ** BigInt(scale);
  const lowest = lows.length > 0 ? greatest(lows) : least([0n, ...highs]) - distance;
  return [lowest, highs.length > 0 ? least(highs) : greatest([0n, ...lows]) + distance];
}

function scaledBound(bound: unknown, scale: number): readonly bigint[] {
  return isNumber(bound) ? [scaled(bound, scale)] : [];
}

function greatest(values: readonly bigint[]): bigint {
  return values.reduce((one, other) => (other > one ? other : one));
}

function least(values: readonly bigint[]): bigint {
  return values.reduce((one, other) => (other < one ? other : one));
}

/**
 * The multiples within a range, by index: away from 0 or from the bound that is nearer to it, then the others.
 */
function nthMultiple(step: bigint, [lowest, highest]: Range, index: number): bigint | undefined {
  if (step === 0n) return undefined;
  const start = lowest > 0n ? ceiling(lowest, step) : highest < 0n ? -ceiling(-highest, step) : 0n;
  if (start < lowest || start > highest) return undefined;
  const countUp = (highest - start) / step + 1n;
  const at = BigInt(index);
  const found = at < countUp ? start + at * step : start - (at - countUp + 1n) * step;
  return found < lowest ? undefined : found;
}

/** The first multiple that is not below a positive number. */
function ceiling(value: bigint, step: bigint): bigint {
  return ((value + step - 1n) / step) * step;
}

function leastCommonMultiple(first: bigint, second: bigint): bigint {
  let [divisor, rest] = [first, second];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  return divisor === 0n ? 0n : (first * second) / divisor;
}

function toInt64(value: bigint): Int64 {
  return value > safeMax || value < -safeMax ? value : Number(value);
}

function isNumber(value: unknown): value is Int64 {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
}
