import type { ErrorObject } from 'ajv';
import type { IntegerBounds } from './create-ajv.js';

/** At most this many faults are named in one message; the others are counted. */
const faultsMax = 10;
/** The names that a client chose are cut at this many characters. */
const nameLengthMax = 64;

const places: Readonly<Record<string, string>> = {
  path: 'Path parameter',
  query: 'Query parameter',
  header: 'Header',
  requestBody: 'Body field',
  line: 'Field',
};
const wholes: Readonly<Record<string, string>> = { query: 'The query', requestBody: 'The body', line: 'The line' };

/**
 * One sentence per fault that validation found in a request or a line: which parameter or field, and what it may hold.
 */
export function describeErrors(errors: readonly ErrorObject[]): string {
  const faults = new Map<string, ErrorObject>();
  // A value that breaks several rules has one sentence, by the last of them: `status: 5` is told the states, not "a
  // string".
  for (const error of errors) faults.set(identityOf(error), error);
  // Only what is named is worded: a body can have as many faults as it has fields.
  const named = [...faults.values()].slice(0, faultsMax).map(describeFault).join(' ');
  const unnamed = faults.size - faultsMax;
  return unnamed > 0 ? `${named} And ${String(unnamed)} more.` : named;
}

/** Differs for any two values, and for any two fields that are missing or unknown: no JSON pointer contains `~/`. */
function identityOf(error: ErrorObject): string {
  const field = fieldOf(error);
  return field === undefined ? error.instancePath : `${error.instancePath}~/${field}`;
}

/** The name of a field that is missing, or that the schema does not have. */
function fieldOf({ params }: ErrorObject): string | undefined {
  const { missingProperty, additionalProperty } = params as { missingProperty?: string; additionalProperty?: string };
  return missingProperty ?? additionalProperty;
}

function describeFault(error: ErrorObject): string {
  const rule = describeRule(error);
  const parents = error.instancePath.split('/').slice(1);
  const unescaped = parents.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [place = '', ...names] = [...unescaped, fieldOf(error) ?? []].flat();
  if (names.length === 0) return `${wholes[place] ?? 'The request'} ${rule}`;
  return `${places[place] ?? place} ${cut(names.join('.'))} ${rule}`;
}

function describeRule(error: ErrorObject): string {
  // A parameter that was repeated arrives as an array, and would be told about types.
  if (Array.isArray(error.data) && /^\/query\/[^/]+$/.test(error.instancePath)) return 'must be sent only once.';
  return rules[error.keyword]?.(error) ?? inWordsOfContract(error);
}

const rules: Readonly<Partial<Record<string, (error: ErrorObject) => string>>> = {
  required: () => 'is required.',
  additionalProperties: ({ parentSchema }) =>
    `is unknown; ${allowedNames(Object.keys((parentSchema?.['properties'] ?? {}) as object))}.`,
  enum: ({ schema }) => `must be one of: ${(schema as unknown[]).map(String).join(', ')}.`,
  exactInteger: ({ params }) => {
    const { minimum, maximum } = params as IntegerBounds;
    return `must be an integer from ${String(minimum)} to ${String(maximum)}.`;
  },
  maxProperties: ({ instancePath, params }) => {
    const { limit } = params as { limit: number };
    return `may have at most ${String(limit)} ${instancePath === '/query' ? 'parameters' : 'fields'}.`;
  },
  type: ({ schema }) => `must be ${schema === 'object' ? 'a JSON object' : `of type ${String(schema)}`}.`,
};

/**
 * For rules like a pattern, which are no words for people, the contract has some: `x-allowed`, for all rules of a
 * schema or for each.
 */
function inWordsOfContract({ keyword, parentSchema, message }: ErrorObject): string {
  const words = parentSchema?.['x-allowed'] as string | Readonly<Record<string, string>> | undefined;
  const allowed = typeof words === 'object' ? words[keyword] : words;
  return typeof allowed === 'string' ? `must have ${allowed}.` : `${String(message)}.`;
}

function allowedNames(names: readonly string[]): string {
  return names.length === 0 ? 'there are none' : `allowed are: ${names.join(', ')}`;
}

function cut(name: string): string {
  // A character has one or two units: a name that is too long has more than enough characters in as many units.
  const characters = Array.from(name.slice(0, 2 * (nameLengthMax + 1)));
  if (name === '') return '""';
  return characters.length > nameLengthMax ? `${characters.slice(0, nameLengthMax).join('')}…` : name;
}
