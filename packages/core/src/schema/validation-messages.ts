import type { ErrorObject } from 'ajv';
import { escapeName, unescapeName } from '../contract/json-pointer.js';
import { stringifyJson } from '../json/exact-json.js';
import { ApiError, type Violation } from '../lib/errors.js';
import { distinctErrors, fieldOf } from './distinct-errors.js';
import { describeNumber, isWrittenAsFraction, type NumberRule, violatedKeyword } from './exact-number.js';

/** The maximum number of errors that one message describes. The others are counted, if all are known. */
const errorsMax = 10;
/** The maximum number of characters of a name that the client has chosen. */
const nameLengthMax = 64;
/** The maximum number of characters of the pointer of a violation. */
const pointerLengthMax = 512;

/** A part of a request, as in "Missing body field `name`." and "The body must be a JSON object." */
interface Part {
  readonly in: Violation['in'];
  readonly member: string;
  readonly whole: string;
}

const parts: Readonly<Record<string, Part>> = {
  path: { in: 'path', member: 'path parameter', whole: 'The path' },
  query: { in: 'query', member: 'query parameter', whole: 'The query' },
  header: { in: 'header', member: 'header', whole: 'The headers' },
  cookie: { in: 'cookie', member: 'cookie', whole: 'The cookies' },
  requestBody: { in: 'body', member: 'body field', whole: 'The body' },
  line: { in: 'body', member: 'field', whole: 'The line' },
};
const wholeRequest: Part = { in: 'body', member: 'field', whole: 'The request' };

/** Describes validation errors in one sentence each: the parameter or field, and which values are allowed. */
export function describeErrors(errors: readonly ErrorObject[]): string {
  return invalidRequest(errors).message;
}

/** 400 for a request that violates its schema, with at most ten violations. Its message joins theirs. */
export function invalidRequest(errors: readonly ErrorObject[]): ApiError {
  const [first, rest] = firstOf(errors);
  const violations = first.map(describeError);
  const sentences = violations.map(({ message }) => message);
  return new ApiError('invalid_request', [...sentences, ...rest].join(' '), { violations });
}

/**
 * Describes what is wrong with a response, without its values: `/name must be a string.` A body is identified by its
 * JSON pointer.
 */
export function describeResponseErrors(errors: readonly ErrorObject[]): string {
  const [first, rest] = firstOf(errors);
  return [...first.map(describeResponseError), ...rest].join(' ');
}

/** The errors to describe, because a body can have as many as fields, and a sentence about the others, if any. */
function firstOf(all: readonly ErrorObject[]): readonly [first: readonly ErrorObject[], rest: readonly string[]] {
  const { errors, isComplete } = distinctErrors(all);
  const others = errors.length - errorsMax;
  const rest = isComplete ? `And ${String(others)} more.` : 'And more.';
  return [errors.slice(0, errorsMax), others > 0 || !isComplete ? [rest] : []];
}

function describeError(error: ErrorObject): Violation {
  const field = fieldOf(error);
  const path = field === undefined ? error.instancePath : `${error.instancePath}/${escapeName(field)}`;
  const [place = '', ...names] = path.split('/').slice(1);
  const part = parts[place] ?? wholeRequest;
  const pointer = shorten(names.map((name) => `/${name}`).join(''));
  const message = describe(error, place, part, names.map(unescapeName));
  return { in: part.in, pointer, message, keyword: keywordOf(error) };
}

/** The keyword of the contract: `exactNumber` takes the place of those for numbers. */
function keywordOf({ keyword, params, data }: ErrorObject): string {
  return keyword === 'exactNumber' ? violatedKeyword(params as NumberRule, data) : keyword;
}

/** Shortens a pointer, which can contain names of the client, to that of a value that contains the invalid one. */
function shorten(pointer: string): string {
  return pointer.length > pointerLengthMax ? pointer.slice(0, pointer.lastIndexOf('/', pointerLengthMax)) : pointer;
}

function describe(error: ErrorObject, place: string, { member, whole }: Part, names: readonly string[]): string {
  if (names.length === 0) return `${whole} ${describeRule(error)}`;
  const path = names.join('.');
  // `Idempotency-Key` for `idempotency-key`.
  const name = quoted(place === 'header' ? path.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) : path);
  if (isMissing(error)) return `Missing ${member} ${name}.`;
  if (isUnknown(error)) return `Unknown ${member} ${name}; ${allowedNames(error, place)}.`;
  return `${name} ${describeRule(error)}`;
}

function describeResponseError(error: ErrorObject): string {
  const [place, ...names] = error.instancePath.split('/').slice(1);
  const field = fieldOf(error);
  if (field !== undefined) names.push(escapeName(field));
  const path = names.map((name) => `/${truncate(name)}`).join('');
  const subject = place === 'headers' ? `the header ${path.slice(1)}` : path || 'the body';
  if (isMissing(error)) return `${subject} is missing.`;
  return `${subject} ${isUnknown(error) ? 'is not declared.' : describeRule(error)}`;
}

function isUnknown({ keyword }: ErrorObject): boolean {
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';
}

function isMissing({ keyword }: ErrorObject): boolean {
  return keyword === 'required' || keyword === 'dependentRequired';
}

function quoted(name: string): string {
  return `\`${truncate(name)}\``;
}

function describeRule(error: ErrorObject): string {
  const { form, isJson } = error.params as { readonly form?: string; readonly isJson?: boolean };
  if (form !== undefined) return form;
  // A repeated parameter is an array, which a schema of another type would report as a wrong type.
  const isRepeated = Array.isArray(error.data) && error.parentSchema?.['type'] !== 'array';
  if (isRepeated && isJson !== true && /^\/query\/[^/]+$/.test(error.instancePath)) return 'must be sent only once.';
  return rules[error.keyword]?.(error) ?? describeByContract(error) ?? describeLimit(error);
}

const typeNames: Readonly<Record<string, string>> = {
  object: 'a JSON object',
  array: 'a JSON array',
  string: 'a string',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
};

/** What a value must be, by the keyword that it violates; completes "`limit` …". */
const rules: Readonly<Partial<Record<string, (error: ErrorObject) => string>>> = {
  // The body itself; `describeError` describes a missing field.
  required: () => 'is required.',
  enum: ({ schema }) => `must be one of: ${listOf(schema as unknown[])}.`,
  const: ({ schema }) => `must be ${listOf([schema])}.`,
  exactNumber: ({ params, data }) => {
    const rule = params as NumberRule;
    if (isWrittenAsFraction(rule, data)) return 'must be written without a fraction or an exponent.';
    return `must be ${[describeNumber(rule, data), ...(rule.otherTypes ?? []).map(describeType)].join(' or ')}.`;
  },
  discriminator: ({ schema }) => `must be one of: ${listOf(schema as unknown[])}.`,
  propertyNames: () => 'has a name that is not allowed.',
  'false schema': () => 'is not allowed. Do not send it.',
  type: ({ schema }) => `must be ${[schema].flat().map(describeType).join(' or ')}.`,
};

function describeType(type: unknown): string {
  return typeNames[String(type)] ?? String(type);
}

function listOf(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? value : stringifyJson(value))).join(', ');
}

/** Describes a rule such as a pattern by `x-allowed` of the contract: one text for the schema, or one per keyword. */
function describeByContract({ keyword, parentSchema }: ErrorObject): string | undefined {
  const texts = parentSchema?.['x-allowed'] as string | Readonly<Record<string, string>> | undefined;
  const allowed = typeof texts === 'object' ? texts[keyword] : texts;
  return typeof allowed === 'string' ? `must have ${allowed}.` : undefined;
}

function describeLimit(error: ErrorObject): string {
  const limit = limits[error.keyword]?.(error);
  // The other messages of Ajv are whole sentences: "must be >= 1", "must match a schema in anyOf".
  return limit === undefined ? `${String(error.message)}.` : `must ${limit}.`;
}

const atLeast = (noun: string) => (error: ErrorObject) => `have at least ${count(error, noun)}`;
const atMost = (noun: string) => (error: ErrorObject) => `have at most ${count(error, noun)}`;

/** What a value must do, by the keyword that it violates, unless the contract describes it by `x-allowed`. */
const limits: Readonly<Partial<Record<string, (error: ErrorObject) => string>>> = {
  minLength: atLeast('character'),
  maxLength: atMost('character'),
  minItems: atLeast('item'),
  maxItems: atMost('item'),
  items: atMost('item'),
  unevaluatedItems: atMost('item'),
  minProperties: atLeast('field'),
  maxProperties: atMost('field'),
  uniqueItems: () => 'have no two equal items',
  pattern: ({ parentSchema }) => `match the pattern ${String(parentSchema?.['pattern'])}`,
  format: ({ params }) => `have the format ${String(params['format'])}`,
  not: () => 'not match the schema in not',
};

function count({ params: { limit } }: ErrorObject<string, { readonly limit?: number }>, noun: string): string {
  return `${String(limit)} ${noun}${limit === 1 ? '' : 's'}`;
}

function allowedNames({ parentSchema }: ErrorObject, place: string): string {
  const names = Object.keys((parentSchema?.['properties'] ?? {}) as object);
  if (names.length > 0) return `allowed: ${names.map(quoted).join(', ')}`;
  return place === 'query' ? 'this operation takes none' : 'none are allowed';
}

/** Shortens text of the client for an error message. */
export function truncate(name: string): string {
  if (name === '') return '""';
  if (name.length <= nameLengthMax) return name;
  // A character has one or two code units, so this slice has more than enough characters.
  const characters = Array.from(name.slice(0, 2 * (nameLengthMax + 1)));
  return characters.length > nameLengthMax ? `${characters.slice(0, nameLengthMax).join('')}…` : name;
}
