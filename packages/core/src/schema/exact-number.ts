import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';
import type { Schema } from '../contract/schemas.js';
import { isFraction } from '../json/exact-json.js';
import { type Int64, int64Max, int64Min } from '../json/int64.js';
import { typeOf } from '../json/type-of.js';
import type { ValidationRun } from './validation-run.js';

/** Which numbers a schema allows; the value of the keyword `exactNumber` and the parameters of its errors. */
export interface NumberRule {
  readonly isInteger: boolean;
  /** Whether an integer may be written like `7.0` or `1e3`: in JSON Schema 2020-12 (Core, section 4.2.3), it is one. */
  readonly allowsFraction: boolean;
  /** Included, as is `maximum`. */
  readonly minimum?: Int64;
  readonly maximum?: Int64;
  readonly exclusiveMinimum?: Int64;
  readonly exclusiveMaximum?: Int64;
  readonly multipleOf?: Int64;
  /** The JSON types that the schema allows besides; `undefined` if it has no type. */
  readonly otherTypes: readonly string[] | undefined;
}

const limits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;
type Limits = Pick<NumberRule, (typeof limits)[number]>;

/**
 * The ranges of integers by format. Without one, an integer is within ±(2^53 − 1), where a double is exact, unless the
 * schema names one beyond.
 */
const integerRanges: Readonly<Record<string, readonly [Int64, Int64]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [int64Min, int64Max],
};
const safeRange = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const;

/** Whether a schema limits numbers, also without a type. */
export function limitsNumbers(schema: Schema): boolean {
  return limits.some((name) => schema[name] !== undefined);
}

/**
 * Replaces the keywords of a schema that allows numbers by `exactNumber`, because Ajv does not support `bigint`: its
 * `integer` and `int64` check a double, so they reject 9223372036854775807 and accept rounded values.
 */
export function withExactNumber({ type, nullable, format, ...schema }: Schema, isVersion30: boolean): Schema {
  const types = [type ?? 'number', ...(nullable === true ? ['null'] : [])].flat() as string[];
  const isInteger = !types.includes('number');
  const otherTypes = type && types.filter((name) => name !== 'integer' && name !== 'number');
  const rule = limitsOf(schema, isInteger, format);
  const exactNumber = { isInteger, allowsFraction: !isVersion30, ...rule, otherTypes };
  const others = Object.entries(schema).filter(([name]) => !(limits as readonly string[]).includes(name));
  const translated = { ...Object.fromEntries(others), exactNumber };
  if (type === undefined) return { ...translated, nullable, format };
  // Any other format is one of the Ajv that compiles the schema, or an annotation.
  const isRange = format === undefined || (format as string) in integerRanges;
  return isRange ? translated : { ...translated, format };
}

function limitsOf(schema: Schema, isInteger: boolean, format: unknown): Limits {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`, and 3.1 the bound itself.
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  const isWide = [minimum, maximum, above, below, schema['enum'], schema['const']].flat().some(isBigInt);
  const [lowest, highest] = integerRanges[format === undefined && isWide ? 'int64' : String(format)] ?? safeRange;
  const bounds = isInteger
    ? {
        minimum: ascending(lowest, integerBound(minimum, Math.ceil), integerBound(above, Math.floor, 1n)).at(-1),
        maximum: ascending(highest, integerBound(maximum, Math.floor), integerBound(below, Math.ceil, -1n))[0],
      }
    : { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below };
  const defined = Object.entries({ ...bounds, multipleOf }).filter(
    ([, bound]) => typeof bound !== 'boolean' && bound !== undefined,
  );
  return Object.fromEntries(defined);
}

const isBigInt = (value: unknown) => typeof value === 'bigint';
/** The bound of an integer for a bound that may be a fraction; none without one. */
export function integerBound(bound: unknown, round: (bound: number) => number, step = 0n): readonly Int64[] {
  if (typeof bound === 'bigint') return [bound + step];
  if (typeof bound !== 'number') return [];
  const whole = round(bound);
  // A double beyond 2^53 has no neighbours at a distance of 1.
  return Number.isInteger(whole) && !Number.isSafeInteger(whole) ? [BigInt(whole) + step] : [whole + Number(step)];
}
const ascending = (first: Int64, ...others: (readonly Int64[])[]): readonly Int64[] =>
  [first, ...others.flat()].sort((one, other) => (one < other ? -1 : 1));

/**
 * The keyword `exactNumber`. A `number` beyond 2^53 that was sent as an integer becomes a double, in place, when all
 * keywords have been applied to what was sent.
 */
export const exactNumberKeyword = (run: ValidationRun): FuncKeywordDefinition => ({
  keyword: 'exactNumber',
  modifying: true,
  errors: 'full',
  compile: (rule: NumberRule) => {
    const validate: SchemaValidateFunction = (value: unknown, location?: Location) => {
      if (isAllowed(rule, value, location, run)) return true;
      validate.errors = [{ keyword: 'exactNumber', params: rule }];
      return false;
    };
    return validate;
  },
});

/** Where the validated value is. */
type Location = Parameters<SchemaValidateFunction>[3];

function isAllowed(rule: NumberRule, value: unknown, location: Location, run: ValidationRun): boolean {
  if (typeof value !== 'number' && typeof value !== 'bigint') return rule.otherTypes?.includes(typeOf(value)) ?? true;
  if (!isWithin(rule, value)) return false;
  if (typeof value === 'number') return rule.isInteger ? isInteger(rule, value, location) : Number.isFinite(value);
  // A schema without a type leaves the value as it is.
  if (rule.otherTypes !== undefined && location !== undefined)
    run.keepExact(location.parentData, location.parentDataProperty, rule.isInteger);
  return true;
}

function isInteger({ allowsFraction }: NumberRule, value: number, location: Location): boolean {
  if (!Number.isSafeInteger(value)) return false;
  return allowsFraction || location === undefined || !isFraction(location.parentData, location.parentDataProperty);
}

/** Whether an invalid value is an integer that the rule allows, but was written like `7.0` or `1e3`. */
export function isWrittenAsFraction(rule: NumberRule, value: unknown): boolean {
  if (!rule.isInteger || typeof value !== 'number' || !Number.isInteger(value)) return false;
  // A plain integer below it is rounded to it.
  return value > int64Min && isWithin(rule, value);
}

/** The keyword that an invalid value violates: `type`, or the first limit. */
export function violatedKeyword({ isInteger, ...rule }: NumberRule, value: unknown): string {
  const isNumber = typeof value === 'bigint' || (typeof value === 'number' && (!isInteger || Number.isInteger(value)));
  const isViolated = (name: (typeof limits)[number]) => !isWithin({ [name]: rule[name] }, value as Int64);
  return (isNumber ? limits.find(isViolated) : undefined) ?? 'type';
}

/** Whether limits allow a number. */
export function isWithin(rule: Limits, value: Int64): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rule;
  if (minimum !== undefined && value < minimum) return false;
  if (maximum !== undefined && value > maximum) return false;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return false;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return false;
  return multipleOf === undefined || isMultiple(value, multipleOf);
}

/** Decided on decimals: 19.99 is a multiple of 0.01, although their quotient as doubles is not an integer. */
export function isMultiple(value: Int64, of: Int64): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return Number(value) % Number(of) === 0;
  const [dividend, divisor] = [decimalOf(value), decimalOf(of)];
  if (divisor.digits === 0n) return false;
  const exponent = Math.min(dividend.exponent, divisor.exponent);
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return scaled(dividend) % scaled(divisor) === 0n;
}

/** `digits` × 10^`exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The shortest decimal of a double, which is what was sent unless that has more digits than a double holds. */
function decimalOf(value: Int64): Decimal {
  const [number = '', exponent = '0'] = String(value).split('e');
  const [integer = '', fraction = ''] = number.split('.');
  return { digits: BigInt(integer + fraction), exponent: Number(exponent) - fraction.length };
}

/**
 * What a number must be, as in "must be an integer from 1 to 100"; without a type, as in "must be >= 1".
 *
 * @param value what was sent. A bound of the format is named only if it is the only one, or if the value is beyond it.
 */
export function describeNumber(rule: NumberRule, value: unknown): string {
  const { isInteger, multipleOf } = rule;
  if (rule.otherTypes === undefined) return describeLimits(rule);
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = isInteger ? statedLimits(rule, value) : rule;
  const bound = (text: string, limit: Int64 | undefined) => (limit === undefined ? '' : `, ${text} ${String(limit)}`);
  const range =
    isInteger && minimum !== undefined && maximum !== undefined
      ? ` from ${String(minimum)} to ${String(maximum)}`
      : bound('at least', minimum) + bound('above', exclusiveMinimum) + bound('at most', maximum);
  const noun = isInteger ? 'an integer' : 'a number';
  return noun + range + bound('below', exclusiveMaximum) + bound('a multiple of', multipleOf);
}

/** The bounds of integers that schemas need not state. */
const rangeBounds: readonly unknown[] = [...Object.values(integerRanges), safeRange].flat();

/** The limits of an integer that its schema states; all if it states none, or if a value is beyond another one. */
function statedLimits(rule: Limits, value: unknown): Limits {
  const all = Object.entries(rule).filter(([name]) => name === 'minimum' || name === 'maximum');
  const stated = Object.fromEntries(all.filter(([, bound]) => !rangeBounds.includes(bound))) as Limits;
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const isBeyond = isNumber && isWithin(stated, value) && !isWithin(Object.fromEntries(all), value);
  return isBeyond || Object.keys(stated).length === 0 ? rule : stated;
}

const signs = {
  minimum: '>=',
  maximum: '<=',
  exclusiveMinimum: '>',
  exclusiveMaximum: '<',
  multipleOf: 'a multiple of',
} as const;

/** Of values of any type, of which only the numbers are limited. */
function describeLimits(rule: Limits): string {
  const described = limits.flatMap((name) =>
    rule[name] === undefined ? [] : [`${signs[name]} ${String(rule[name])}`],
  );
  return described.join(' and ');
}
