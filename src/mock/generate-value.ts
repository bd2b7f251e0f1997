import type { OpenAPIV3 } from 'openapi-types';
import { int64Max, int64Min } from '../json/int64.js';
import type { Query } from './example-pages.js';

type Schema = OpenAPIV3.SchemaObject;

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
type Random = () => number;

const optionalShare = 0.8;
/** The range of most integers, if the schema allows it, so that responses stay readable. */
const smallIntegerMax = 1000;
const itemsMax = 5;

/** Returns random numbers that depend on the seed only (mulberry32). */
function createRandom(seed: string): Random {
  let state = 0;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Generates the body of a response. A list has `limit` items in ascending order of their `id`, if they have one, with
 * the fields by which the query filters.
 */
export function generateResponse(schema: Schema, query: Query, seed: string): unknown {
  const random = createRandom(seed);
  const body = generateValue(schema, random, typeof query['limit'] === 'number' ? query['limit'] : undefined);
  if (!Array.isArray(body)) return body;
  const { properties = {} } = ('items' in schema ? schema.items : {}) as Schema;
  const filters = Object.entries(query).filter(([name]) => Object.hasOwn(properties, name));
  const items = (body as Readonly<Record<string, unknown>>[]).map((item) => ({
    ...item,
    ...Object.fromEntries(filters.map(([name, value]) => [name, pick([value].flat(), random)[0]])),
  }));
  return items.sort((one, other) => Number(one['id']) - Number(other['id']));
}

/**
 * Generates a value of a schema of the contract, whose references have been resolved. A string with a `pattern` is the
 * example of the schema if random text does not match.
 *
 * @param length the number of items of the value, if it is an array.
 */
function generateValue(schema: Schema, random: Random, length?: number): unknown {
  const { allOf = [], oneOf = [], anyOf = [] } = schema;
  const whole = Object.assign({}, schema, ...allOf, ...pick([...oneOf, ...anyOf], random)) as Schema;
  if (whole.nullable === true && random() > optionalShare) return null;
  if (whole.enum !== undefined) return pick(whole.enum as unknown[], random)[0];
  const generate = generators[whole.type ?? ''];
  return generate === undefined ? whole.example : generate(whole, random, length);
}

const generators: Readonly<Record<string, (schema: Schema, random: Random, length?: number) => unknown>> = {
  integer,
  string: text,
  boolean: (_, random) => random() < 0.5,
  array,
  object,
};

/** One of the values; none if there are none. */
function pick<T>(values: readonly T[], random: Random): [T?] {
  const value = values[Math.floor(random() * values.length)];
  return value === undefined ? [] : [value];
}

/** A number up to 2^53 − 1 and a bigint beyond, as everywhere in the service. */
function integer({ format, minimum, maximum }: Schema, random: Random): number | bigint {
  const isWide = format === 'int64';
  const lowest = BigInt(minimum ?? (isWide ? int64Min : Number.MIN_SAFE_INTEGER));
  const highest = BigInt(maximum ?? (isWide ? int64Max : Number.MAX_SAFE_INTEGER));
  const smallest = lowest > 0n ? lowest : 0n;
  const isSmall = random() < optionalShare && smallest + BigInt(smallIntegerMax) <= highest;
  const [from, to] = isSmall ? [smallest, smallest + BigInt(smallIntegerMax)] : [lowest, highest];
  const digits = BigInt(Math.floor(random() * 2 ** 32)) * 2n ** 32n + BigInt(Math.floor(random() * 2 ** 32));
  const value = from + (digits % (to - from + 1n));
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function text({ format, pattern, minLength = 0, maxLength = Infinity, example }: Schema, random: Random): unknown {
  const digits = (count: number) =>
    Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('');
  const at = new Date(Math.floor(random() * 2 ** 31) * 1000).toISOString();
  const formats: Readonly<Record<string, string>> = {
    date: at.slice(0, 'YYYY-MM-DD'.length),
    'date-time': at,
    uri: `https://example.com/${digits(8)}`,
    uuid: `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`,
  };
  const length = Math.min(maxLength, Math.max(minLength, 3 + Math.floor(random() * 8)));
  const letters = Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
  const value = formats[format ?? ''] ?? letters;
  return pattern === undefined || new RegExp(pattern).test(value) ? value : example;
}

function array(schema: Schema, random: Random, length?: number): unknown[] {
  const { items, minItems = 0, maxItems = Infinity } = schema as OpenAPIV3.ArraySchemaObject;
  const count = Math.min(maxItems, length ?? minItems + Math.floor(random() * itemsMax));
  return Array.from({ length: count }, () => generateValue(items as Schema, random));
}

function object({ properties = {}, required = [] }: Schema, random: Random) {
  const names = Object.keys(properties).filter((name) => required.includes(name) || random() < optionalShare);
  return Object.fromEntries(names.map((name) => [name, generateValue(properties[name] as Schema, random)]));
}
