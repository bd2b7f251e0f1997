import {
  Ajv,
  type AnySchema,
  type FuncKeywordDefinition,
  type Logger,
  type SchemaValidateFunction,
  type ValidateFunction,
} from 'ajv';
import addFormats from 'ajv-formats';
import { type Int64, int64Max, int64Min, parseInt64 } from '../json/int64.js';

/** The bounds of an integer, both included; the parameters of an `exactInteger` error. */
export interface IntegerBounds {
  readonly minimum: Int64;
  readonly maximum: Int64;
}

/**
 * Ajv for the contract's schemas, with exact integers. `type: integer` becomes a keyword of ours that knows `bigint`,
 * for which Ajv has no word: its own `integer` and `int64` are checks on a double that refuse 9223372036854775807 and
 * let rounded values pass.
 *
 * Every fault of a value is reported, not just the first, with its schema (`verbose`); defaults are filled in.
 *
 * @param readsText whether the values are text (parameters, headers) in which an integer is a plain decimal: unlike
 * Ajv's coercion, which takes `0x10`, `1e1` and a blank for integers. It is replaced by the integer.
 * @param checksSchemas whether it is checked that schemas are schemas at all, which costs more than to compile them.
 */
export function createAjv(readsText: boolean, checksSchemas = true): Ajv {
  const ajv = new Ajv({
    ...{ strict: false, allErrors: true, verbose: true, useDefaults: true, logger: strictLogger },
    ...{ validateSchema: checksSchemas, meta: checksSchemas },
  });
  addFormats.default(ajv, ['date', 'date-time', 'uri']);
  ajv.addKeyword(exactInteger(readsText));
  ajv.addKeyword(invisible);
  const compile = ajv.compile.bind(ajv) as (schema: AnySchema) => ValidateFunction;
  ajv.compile = ((schema: AnySchema) => compile(withExactIntegers(schema) as AnySchema)) as typeof ajv.compile;
  return ajv;
}

/** Ajv only warns of a format that it does not know, and then lets everything pass. */
const strictLogger: Logger = {
  log: () => undefined,
  warn: (message) => {
    throw new TypeError(`The contract cannot be checked as it is written: ${String(message)}`);
  },
  error: (message) => {
    throw new TypeError(String(message));
  },
};

function exactInteger(readsText: boolean): FuncKeywordDefinition {
  const validate: SchemaValidateFunction = (bounds: IntegerBounds, value: unknown, _schema, place) => {
    const integer = readsText && typeof value === 'string' ? parseInt64(value) : value;
    if (!isWithin(bounds, integer)) {
      validate.errors = [{ keyword: 'exactInteger', params: bounds }];
      return false;
    }
    if (place !== undefined) (place.parentData as Record<string | number, unknown>)[place.parentDataProperty] = integer;
    return true;
  };
  return { keyword: 'exactInteger', modifying: true, errors: 'full', validate };
}

/**
 * `x-invisible`: characters without which a text has to match its `pattern` as well. A class of characters in Unicode
 * mode, which OpenAPI does not read patterns in: without it, no range reaches beyond U+FFFF.
 */
const invisible: FuncKeywordDefinition = {
  keyword: 'x-invisible',
  type: 'string',
  schemaType: 'string',
  compile: (characters: string, { pattern }: { readonly [keyword: string]: unknown }) => {
    if (typeof pattern !== 'string') throw new TypeError('The contract has x-invisible without a pattern.');
    const one = new RegExp(characters, 'u');
    const all = new RegExp(characters, 'gu');
    const allowed = new RegExp(pattern, 'u');
    return (text: string) => !one.test(text) || allowed.test(text.replace(all, ''));
  },
};

function isWithin({ minimum, maximum }: IntegerBounds, value: unknown): value is Int64 {
  const isInteger = typeof value === 'bigint' || Number.isSafeInteger(value);
  return isInteger && (value as Int64) >= minimum && (value as Int64) <= maximum;
}

/** A copy of the schema in which each `type: integer` is an `exactInteger`. */
function withExactIntegers(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withExactIntegers);
  if (typeof node !== 'object' || node === null) return node;
  if ('type' in node && node.type === 'number') {
    throw new TypeError(
      'The contract has a schema of type number. Only integers are exact here; bodies are read without fractions.',
    );
  }
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withExactIntegers(value)]));
  if (copy['type'] !== 'integer') return copy;
  const { type: _type, format, minimum, maximum, ...others } = copy;
  const [lowest, highest] =
    format === 'int64' ? [int64Min, int64Max] : [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return { ...others, exactInteger: { minimum: minimum ?? lowest, maximum: maximum ?? highest } };
}
