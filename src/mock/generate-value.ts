import { crc32 } from 'node:zlib';
import type { OpenAPIV3 } from 'openapi-types';
import { uniformBigInt } from 'pure-rand/distribution/uniformBigInt';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { int64Max, int64Min } from '../json/int64.js';
import type { Query } from './example-pages.js';

type Schema = OpenAPIV3.SchemaObject;

/** The share of optional fields that a value has, and of integers that are small, in percent. */
const usualPercent = 80;
/** The range of small integers, so that responses stay readable. */
const smallIntegerMax = 1000;
const itemsMax = 4;

/**
 * Generates the body of a response. A list has `limit` items in ascending order of their `id`, if they have one, with
 * the fields by which the query filters. The same seed generates the same body.
 */
export function generateResponse(schema: Schema, query: Query, seed: string): unknown {
  const random = xoroshiro128plus(crc32(seed));
  const body = generateValue(schema, random, typeof query['limit'] === 'number' ? query['limit'] : undefined);
  if (!Array.isArray(body)) return body;
  const { properties = {} } = ('items' in schema ? schema.items : {}) as Schema;
  const filters = Object.entries(query).filter(([name]) => Object.hasOwn(properties, name));
  const items = (body as Readonly<Record<string, unknown>>[]).map((item) => ({
    ...item,
    ...Object.fromEntries(filters.map(([name, value]) => [name, pick([value].flat(), random)[0]])),
  }));
  const { maximum } = (properties['id'] ?? {}) as Schema;
  return withUniqueIds(
    items.sort((one, other) => Number(one['id']) - Number(other['id'])),
    maximum,
  );
}

/** Replaces ids that occur twice. @param items in ascending order of their ids. */
function withUniqueIds(items: readonly Readonly<Record<string, unknown>>[], idMax = Infinity): unknown[] {
  let last = -Infinity;
  return items.map((item, index) => {
    if (typeof item['id'] !== 'number') return item;
    // Enough ids remain for the items that follow.
    last = Math.min(Math.max(item['id'], last + 1), idMax - (items.length - 1 - index));
    return { ...item, id: last };
  });
}

/**
 * Generates a value of a schema of the contract, whose references have been resolved. A string with a `pattern` is the
 * example of the schema if random text does not match.
 *
 * @param length the number of items of the value, if it is an array.
 */
function generateValue(schema: Schema, random: RandomGenerator, length?: number): unknown {
  const whole = mergeParts(schema, random);
  if (whole.nullable === true && !isUsual(random)) return null;
  if (whole.enum !== undefined) return pick(whole.enum as unknown[], random)[0];
  const generate = generators[whole.type ?? ''];
  return generate === undefined ? whole.example : generate(whole, random, length);
}

/** A schema with those of `allOf` and one of `oneOf` or `anyOf`; the last one that has a keyword defines its value. */
function mergeParts({ allOf = [], oneOf = [], anyOf = [], ...own }: Schema, random: RandomGenerator): Schema {
  const parts = [...allOf, ...pick([...oneOf, ...anyOf], random)].map((part) => mergeParts(part as Schema, random));
  return parts.reduce<Schema>(
    (whole, part) => ({
      ...whole,
      ...part,
      properties: { ...whole.properties, ...part.properties },
      required: [...(whole.required ?? []), ...(part.required ?? [])],
    }),
    own,
  );
}

const generators: Readonly<Record<string, (schema: Schema, random: RandomGenerator, length?: number) => unknown>> = {
  integer,
  string: text,
  boolean: (_, random) => uniformInt(random, 0, 1) === 1,
  array,
  object,
};

/** One of the values; none if there are none. */
function pick<T>(values: readonly T[], random: RandomGenerator): readonly T[] {
  if (values.length === 0) return [];
  const index = uniformInt(random, 0, values.length - 1);
  return values.slice(index, index + 1);
}

function isUsual(random: RandomGenerator): boolean {
  return uniformInt(random, 1, 100) <= usualPercent;
}

/** A number up to 2^53 − 1 and a bigint beyond, as everywhere in the service. */
function integer({ format, minimum, maximum }: Schema, random: RandomGenerator): number | bigint {
  const isWide = format === 'int64';
  const lowest = BigInt(minimum ?? (isWide ? int64Min : Number.MIN_SAFE_INTEGER));
  const highest = BigInt(maximum ?? (isWide ? int64Max : Number.MAX_SAFE_INTEGER));
  const smallest = lowest > 0n ? lowest : 0n;
  const smallMax = smallest + BigInt(smallIntegerMax);
  const isSmall = isUsual(random) && smallMax <= highest;
  const value = isSmall ? uniformBigInt(random, smallest, smallMax) : uniformBigInt(random, lowest, highest);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function text(
  { format, pattern, minLength = 0, maxLength = Infinity, example }: Schema,
  random: RandomGenerator,
): unknown {
  const digits = (count: number) =>
    Array.from({ length: count }, () => uniformInt(random, 0, 15).toString(16)).join('');
  const at = new Date(uniformInt(random, 0, 2 ** 31 - 1) * 1000).toISOString();
  const formats: Readonly<Record<string, string>> = {
    date: at.slice(0, 'YYYY-MM-DD'.length),
    'date-time': at,
    uri: `https://example.com/${digits(8)}`,
    uuid: `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`,
  };
  const length = Math.min(maxLength, Math.max(minLength, uniformInt(random, 3, 10)));
  const letters = Array.from({ length }, () => String.fromCharCode(uniformInt(random, 97, 122))).join('');
  const value = formats[format ?? ''] ?? letters;
  return pattern === undefined || new RegExp(pattern).test(value) ? value : example;
}

function array(schema: Schema, random: RandomGenerator, length?: number): unknown[] {
  const { items, minItems = 0, maxItems = Infinity } = schema as OpenAPIV3.ArraySchemaObject;
  const count = Math.min(maxItems, length ?? minItems + uniformInt(random, 0, itemsMax));
  return Array.from({ length: count }, () => generateValue(items as Schema, random));
}

function object({ properties = {}, required = [] }: Schema, random: RandomGenerator) {
  const names = Object.keys(properties).filter((name) => required.includes(name) || isUsual(random));
  return Object.fromEntries(names.map((name) => [name, generateValue(properties[name] as Schema, random)]));
}
