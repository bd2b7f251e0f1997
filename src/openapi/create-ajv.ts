import { Ajv, type FuncKeywordDefinition, type SchemaValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { type Int64, int64Max, int64Min, parseInt64 } from '../json/int64.js';

/** The bounds of an integer, both included; the parameters of an `exactInteger` error. */
export interface IntegerBounds {
  readonly minimum: Int64;
  readonly maximum: Int64;
  /** Whether the value can also be `null`. */
  readonly nullable?: boolean;
}

/**
 * Creates Ajv for the contract's schemas, with exact 64-bit integers. The keyword `exactInteger` replaces `type:
 * integer`, because Ajv does not support `bigint`: its `integer` and `int64` check a double, so they reject
 * 9223372036854775807 and accept rounded values. Every error is reported, with its schema, and defaults are filled in.
 *
 * @param readsText whether the values are text (parameters, headers). Then an integer is a plain decimal, which
 * validation replaces by the integer; Ajv's coercion would also accept `0x10`, `1e1` and a blank. A boolean is `true`
 * or `false`.
 * @param checksSchemas whether to validate the schemas themselves, which takes longer than compiling them.
 */
export function createAjv(readsText: boolean, checksSchemas = true): Ajv {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    verbose: true,
    useDefaults: true,
    logger: { log: () => undefined, warn: rejectContract, error: rejectContract },
    validateSchema: checksSchemas,
    meta: checksSchemas,
  });
  addFormats.default(ajv, ['date', 'date-time', 'uri', 'uuid']);
  ajv.addKeyword(exactIntegerKeyword(readsText));
  ajv.addKeyword(textBooleanKeyword);
  ajv.addKeyword(invisibleKeyword);
  const compile = ajv.compile.bind(ajv);
  return Object.assign(ajv, { compile: (schema: object) => compile(withOurTypes(schema, readsText) as object) });
}

/** Throws where Ajv would only warn: it ignores a format that it does not know. */
function rejectContract(message: unknown): never {
  throw new TypeError(`The contract cannot be checked as it is written: ${String(message)}`);
}

function exactIntegerKeyword(readsText: boolean): FuncKeywordDefinition {
  const validate: SchemaValidateFunction = (bounds: IntegerBounds, value: unknown, _schema, location) => {
    const integer = readsText && typeof value === 'string' ? parseInt64(value) : value;
    if (!isWithin(bounds, integer) && !(value === null && bounds.nullable === true)) {
      validate.errors = [{ keyword: 'exactInteger', params: bounds }];
      return false;
    }
    replace(location, integer);
    return true;
  };
  return { keyword: 'exactInteger', modifying: true, errors: 'full', validate };
}

function isWithin({ minimum, maximum }: IntegerBounds, value: unknown): boolean {
  const isInteger = typeof value === 'bigint' || Number.isSafeInteger(value);
  return isInteger && (value as Int64) >= minimum && (value as Int64) <= maximum;
}

/** The keyword `textBoolean`: `true` or `false` as text, which validation replaces by the boolean. */
const textBooleanKeyword: FuncKeywordDefinition = {
  keyword: 'textBoolean',
  modifying: true,
  validate: (_schema: unknown, value: unknown, _parent?: unknown, location?: Location) => {
    if (value !== 'true' && value !== 'false') return false;
    replace(location, value === 'true');
    return true;
  },
};

/** Where the validated value is. */
type Location = Parameters<SchemaValidateFunction>[3];

function replace(location: Location, value: unknown): void {
  if (location !== undefined) (location.parentData as Record<string, unknown>)[location.parentDataProperty] = value;
}

/**
 * The keyword `x-invisible`: a character class. A string must also match its `pattern` without these characters. The
 * class is in Unicode mode, which OpenAPI's patterns are not: only then can a range reach beyond U+FFFF.
 */
const invisibleKeyword: FuncKeywordDefinition = {
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

/**
 * Returns a copy of the schema in which `exactInteger` replaces each `type: integer` and, if the values are text,
 * `textBoolean` each `type: boolean`.
 */
function withOurTypes(node: unknown, readsText: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => withOurTypes(item, readsText));
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withOurTypes(value, readsText)]));
  const { type, ...others } = copy;
  if (type === 'number')
    throw new TypeError(
      'The contract has a schema of type number. Only integers are exact here; bodies are read without fractions.',
    );
  if (type === 'integer') return withExactInteger(others);
  return type === 'boolean' && readsText ? { ...others, textBoolean: true } : copy;
}

function withExactInteger({ format, nullable, ...schema }: Readonly<Record<string, unknown>>): object {
  const isInt64 = format === 'int64';
  const { minimum = isInt64 ? int64Min : Number.MIN_SAFE_INTEGER, ...upper } = schema;
  const { maximum = isInt64 ? int64Max : Number.MAX_SAFE_INTEGER, ...others } = upper;
  return { ...others, exactInteger: { minimum, maximum, ...(nullable === true && { nullable }) } };
}
