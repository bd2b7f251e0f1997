import { setMember } from '../../json/object-members.js';
import { BracketedValue, pathInBrackets } from '../../parameters/bracketed-value.js';
import { decodeForm, nameIn, parsePairs } from '../../parameters/parse-query.js';
import { type BodyFormat, textBytesMax } from '../body-format.js';
import type { BodyRule } from '../body-rule.js';
import { invalidBody, textOf } from '../body-text.js';
import type { FormField } from '../form-fields.js';
import { ValueBudget } from '../value-budget.js';

/** How deep `a[b][c]` can nest, as in JSON bodies of clients that write forms. */
const depthMax = 10;
/** The greatest index of an array in brackets. */
const arrayMax = 100;

export const form: BodyFormat = {
  accepts: (mediaType) => mediaType === 'application/x-www-form-urlencoded',
  ranges: ['*/*', 'application/*'],
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
    const bracketed = new Map<string, BracketedValue>();
    const others = pairs.filter((pair) => !addPart(bracketed, pair, fields));
    const form = parsePairs(others);
    for (const name of Object.keys(form)) isListOf(fields.find(name), name, [form[name]].flat().length);
    for (const [name, value] of bracketed) setMember(form, name, fields.valueOf(name, value, arrayMax));
    for (const name of Object.keys(form)) setMember(form, name, typedField(form[name], fields.find(name), budget));
    return form;
  } catch (error) {
    if (error instanceof URIError) throw invalidBody('has an invalid percent-encoding. Encode a percent sign as %25.');
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

/** Adds a parameter to the field that its name in brackets is a part of. Returns whether it is one. @throws URIError */
function addPart(bracketed: Map<string, BracketedValue>, pair: string, fields: BodyRule['fields']): boolean {
  if (!/\[|%5B/i.test(pair)) return false;
  const equals = pair.indexOf('=');
  const name = nameIn(pair, equals);
  const bracket = name.indexOf('[');
  const field = name.slice(0, bracket);
  const path = bracket < 0 || fields.has(name) || !fields.has(field) ? undefined : pathInBrackets(name.slice(bracket));
  if (path === undefined) return false;
  if (path.length > depthMax) throw invalidBody(`has fields of more than ${String(depthMax)} levels.`);
  const value = bracketed.get(field) ?? new BracketedValue();
  bracketed.set(field, value);
  value.add(path, equals < 0 ? '' : decodeForm(pair.slice(equals + 1)));
  return true;
}
