import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';
import type { Schema } from '../contract/schema-document.js';
import { isFraction } from '../json/exact-json.js';
import { type Int64, int64Max, int64Min } from '../json/int64.js';
import type { ValidationRun } from './validation-run.js';

/** Which numbers a schema allows; the value of the keyword `exactNumber` and the parameters of its errors. */
export interface NumberRule {
  readonly isInteger: boolean;
  /** Whether an integer may be written like `7.0` or `1e3`: in JSON Schema 2020-12 (Core, section 4.2.3), it is one. */
  readonly allowsFraction: boolean;
  /** Included, as is `maximum`. */
  readonly minimum?: Int64;
  readonly maximum?: Int64;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  /** The JSON types that the schema allows besides. */
  readonly otherTypes: readonly string[];
}

/** The ranges of integers by format. Without one, an integer is within ±(2^53 − 1), where a double is exact. */
const integerRanges: Readonly<Record<string, readonly [Int64, Int64]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [int64Min, int64Max],
};
const safeRange = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const;

/**
 * Replaces the keywords of a schema that allows numbers by `exactNumber`, because Ajv does not support `bigint`: its
 * `integer` and `int64` check a double, so they reject 9223372036854775807 and accept rounded values.
 */
export function withExactNumber({ type, nullable, format, ...schema }: Schema, isVersion30: boolean): Schema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, ...others } = schema;
  const types = [type, ...(nullable === true ? ['null'] : [])].flat() as string[];
  const isInteger = !types.includes('number');
  // OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`, and 3.1 the bound itself.
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  const [lowest, highest] = integerRanges[String(format)] ?? safeRange;
  const bounds = isInteger
    ? {
        minimum: ascending(lowest, integerOf(minimum, Math.ceil), integerOf(above, Math.floor, 1)).at(-1),
        maximum: ascending(highest, integerOf(maximum, Math.floor), integerOf(below, Math.ceil, -1))[0],
      }
    : { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below };
  const defined = Object.entries({ ...bounds, multipleOf }).filter(
    ([, bound]) => typeof bound !== 'boolean' && bound !== undefined,
  );
  const otherTypes = types.filter((name) => name !== 'integer' && name !== 'number');
  const exactNumber = { isInteger, allowsFraction: !isVersion30, ...Object.fromEntries(defined), otherTypes };
  // Any other format is one of the Ajv that compiles the schema, or an annotation.
  const isRange = format === undefined || (format as string) in integerRanges;
  return isRange ? { ...others, exactNumber } : { ...others, format, exactNumber };
}

/** The bound of an integer for a bound that may be a fraction; none without one. */
const integerOf = (bound: unknown, round: (bound: number) => number, step = 0): readonly number[] =>
  typeof bound === 'number' ? [round(bound) + step] : [];
const ascending = (first: Int64, ...others: (readonly number[])[]): readonly Int64[] =>
  [first, ...others.flat()].sort((one, other) => (one < other ? -1 : 1));

/** The keyword `exactNumber`. A `number` beyond 2^53 that was sent as an integer becomes a double, in place. */
export const exactNumberKeyword = (run: ValidationRun): FuncKeywordDefinition => ({
  keyword: 'exactNumber',
  modifying: true,
  errors: 'full',
  // The keywords of Ajv then apply to the value that the handler receives.
  before: 'enum',
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
  if (typeof value !== 'number' && typeof value !== 'bigint') return rule.otherTypes.includes(typeOf(value));
  if (rule.isInteger) return isInteger(rule, value, location) && isWithin(rule, value);
  const double = Number(value);
  if (typeof value === 'bigint' && location) run.change(location.parentData, location.parentDataProperty, double);
  return Number.isFinite(double) && isWithin(rule, double);
}

function isInteger({ allowsFraction }: NumberRule, value: Int64, location: Location): boolean {
  if (typeof value === 'bigint') return true;
  if (!Number.isSafeInteger(value)) return false;
  return allowsFraction || location === undefined || !isFraction(location.parentData, location.parentDataProperty);
}

/** Whether an invalid value is an integer that the rule allows, but was written like `7.0` or `1e3`. */
export function isWrittenAsFraction(rule: NumberRule, value: unknown): boolean {
  if (!rule.isInteger || typeof value !== 'number' || !Number.isInteger(value)) return false;
  // A plain integer below it is rounded to it.
  return value > int64Min && isWithin(rule, value);
}

const limits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;

/** The keyword that an invalid value violates: `type`, or the first limit. */
export function violatedKeyword(
  { isInteger, allowsFraction, otherTypes, ...rule }: NumberRule,
  value: unknown,
): string {
  const isNumber = typeof value === 'bigint' || (typeof value === 'number' && (!isInteger || Number.isInteger(value)));
  const isViolated = (name: (typeof limits)[number]) =>
    !isWithin({ isInteger, allowsFraction, otherTypes, [name]: rule[name] }, value as Int64);
  return (isNumber ? limits.find(isViolated) : undefined) ?? 'type';
}

function isWithin(rule: NumberRule, value: Int64): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rule;
  if (minimum !== undefined && value < minimum) return false;
  if (maximum !== undefined && value > maximum) return false;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return false;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return false;
  return multipleOf === undefined || isMultiple(value, multipleOf);
}

/** Decided on decimals: 19.99 is a multiple of 0.01, although their quotient as doubles is not an integer. */
export function isMultiple(value: Int64, of: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return Number(value) % of === 0;
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

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** What a number must be, as in "must be an integer from 1 to 100". */
export function describeNumber(rule: NumberRule): string {
  const { isInteger, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rule;
  const bound = (text: string, value: Int64 | undefined) => (value === undefined ? '' : `, ${text} ${String(value)}`);
  const range = isInteger
    ? `an integer from ${String(minimum)} to ${String(maximum)}`
    : `a number${bound('at least', minimum)}${bound('above', exclusiveMinimum)}${bound('at most', maximum)}` +
      bound('below', exclusiveMaximum);
  return range + bound('a multiple of', multipleOf);
}
