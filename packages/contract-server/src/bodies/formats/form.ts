import { parse } from 'qs';
import { parsePairs } from '../../parameters/parse-query.js';
import { type BodyFormat, textBytesMax } from '../body-format.js';
import type { BodyRule } from '../body-rule.js';
import { invalidBody, textOf } from '../body-text.js';
import type { FormField } from '../form-fields.js';
import { ValueBudget } from '../value-budget.js';

/** How deep `a[b][c]` can nest, as in JSON bodies of clients that write forms. */
const depthMax = 10;
/** The maximum number of items of an array in brackets: more take qs a time that grows with their square. */
const itemsMax = 100;

export const form: BodyFormat = {
  accepts: (mediaType) => mediaType === 'application/x-www-form-urlencoded',
  bytesMax: textBytesMax,
  parse: (bytes, rule) => parseForm(textOf(bytes), rule),
};

/**
 * Parses a form (`application/x-www-form-urlencoded`, as in the URL standard) to typed values. Names in brackets, such
 * as `card[number]` and `items[0]`, are the parts of a declared field, as `deepObject` writes them.
 *
 * @throws ApiError `invalid_request`
 * @throws TooManyValues
 */
function parseForm(text: string, { fields, valuesMax }: BodyRule): object {
  const pairs = text.split('&').filter((pair) => pair !== '');
  const budget = new ValueBudget(valuesMax);
  budget.take(pairs.length, 'fields');
  try {
    const [flat, nested]: [string[], string[]] = [[], []];
    for (const pair of pairs) (isPart(pair, fields) ? nested : flat).push(pair);
    const repeated = parsePairs(flat);
    for (const name of Object.keys(repeated)) isListOf(fields.find(name), name, [repeated[name]].flat().length);
    const form: Record<string, unknown> = Object.assign(repeated, parseBrackets(nested));
    for (const name of Object.keys(form)) form[name] = typedField(form[name], fields.find(name), budget);
    return form;
  } catch (error) {
    if (error instanceof URIError) throw invalidBody('has an invalid percent-encoding. Encode a percent sign as %25.');
    if (error instanceof RangeError) throw invalidBody(`has fields of more than ${String(depthMax)} levels.`);
    throw error;
  }
}

/** The value of a field with its declared type. */
function typedField(value: unknown, field: FormField, budget: ValueBudget): unknown {
  const { separator, isArray } = field;
  if (separator !== undefined && typeof value === 'string') {
    const items = value.split(separator);
    budget.take(items.length);
    return field.convert(items);
  }
  if (!field.isJson || typeof value !== 'string') return field.convert(value);
  const parsed = budget.parseJson(Buffer.from(value));
  return isArray ? [parsed].flat() : parsed;
}

/**
 * Whether the values of a field are a list; also those of a field whose type is not declared, if there are several.
 *
 * @throws ApiError `invalid_request` for several values of any other field.
 */
export function isListOf({ isArray, isFile }: FormField, name: string, count: number): boolean {
  if (isArray || count < 2) return isArray;
  if (isFile !== undefined) throw invalidBody('must be sent only once.', name);
  return true;
}

/** Whether a name in brackets is a part of a declared field. @throws URIError */
function isPart(pair: string, fields: BodyRule['fields']): boolean {
  if (!/\[|%5B/i.test(pair)) return false;
  const [name = ''] = Object.keys(parsePairs([pair]));
  const bracket = name.indexOf('[');
  return bracket > 0 && !fields.has(name) && fields.has(name.slice(0, bracket));
}

/** @throws RangeError for more levels than allowed. */
function parseBrackets(pairs: readonly string[]): Record<string, unknown> {
  const options = { depth: depthMax, strictDepth: true, arrayLimit: itemsMax, parameterLimit: Infinity };
  return parse(pairs.join('&'), { ...options, allowPrototypes: true });
}
