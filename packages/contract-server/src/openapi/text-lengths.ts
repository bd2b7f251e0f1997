import type { Schema } from './exact-number.js';
import { findAt } from './json-pointer.js';
import { canBeSlow, slowTextMax } from './patterns.js';
import { keywordsOf, type SchemaDocument } from './schema-document.js';

/** The keywords whose schemas apply to the same value as the schema that contains them. */
const lists = ['allOf', 'anyOf', 'oneOf'] as const;
const conditions = ['not', 'if', 'then', 'else'] as const;

/**
 * Returns a function that returns a schema in which each pattern is beside the `maxLength` of its text, also if another
 * part of the schema declares it: a pattern that does not see the limit would be matched with a text of any length. A
 * pattern that can take quadratic time has a default limit. The schema has the same valid values, except for texts
 * beyond that default. It is the same object each time.
 *
 * @param document where references lead.
 */
export function createTextLimits(document: Document): (schema: Schema) => Schema {
  const results = new WeakMap<Schema, Schema>();
  return (schema) => {
    const known = results.get(schema);
    if (known !== undefined) return known;
    const result = hasPattern(document, schema) ? limited(document, schema, lengthOf(document, schema)) : schema;
    results.set(schema, result);
    return result;
  };
}

function hasPattern(document: Document, node: unknown, seen = new Set<unknown>()): boolean {
  if (typeof node !== 'object' || node === null || seen.has(node)) return false;
  seen.add(node);
  const { pattern, ...schema } = keywordsOf(document, node as Schema);
  return typeof pattern === 'string' || [...inPlace(document, schema)].some((each) => hasPattern(document, each, seen));
}

type Document = Pick<SchemaDocument, 'openapi'>;

interface Parts extends Schema {
  readonly $ref?: string;
  readonly allOf?: readonly unknown[];
}

/** The schemas within a schema that apply to the same value, with the one that it refers to. */
function inPlace(document: Document, schema: Schema): readonly unknown[] {
  const { $ref } = schema;
  const target = typeof $ref === 'string' ? [findAt(document, $ref)] : [];
  const others = lists.flatMap((name) => (schema[name] as readonly unknown[] | undefined) ?? []);
  return [...target, ...others, ...conditions.map((name) => schema[name])];
}

/** The smallest `maxLength` of the parts of a schema, all of which apply; `undefined` without one. */
function lengthOf(document: Document, node: unknown, seen = new Set<unknown>()): number | undefined {
  if (typeof node !== 'object' || node === null || seen.has(node)) return undefined;
  seen.add(node);
  const { maxLength, $ref, allOf = [] } = keywordsOf(document, node as Schema) as Parts;
  const parts = $ref === undefined ? allOf : [findAt(document, $ref), ...allOf];
  return smallest([maxLength, ...parts.map((part) => lengthOf(document, part, seen))]);
}

function smallest(values: readonly unknown[]): number | undefined {
  const numbers = values.filter((value) => typeof value === 'number');
  return numbers.length === 0 ? undefined : Math.min(...numbers);
}

/** @param max of the whole text; `undefined` if only the default applies. */
function limited(document: Document, node: unknown, max: number | undefined): Schema {
  if (!hasPattern(document, node)) return node as Schema;
  const schema = keywordsOf(document, node as Schema);
  if (schema['$ref'] !== undefined) return limitedReference(document, schema, max);
  const each = (inner: unknown) => limited(document, inner, max);
  const parts = lists.flatMap((name) => (name in schema ? [[name, (schema[name] as unknown[]).map(each)]] : []));
  const others = conditions.flatMap((name) => (name in schema ? [[name, each(schema[name])]] : []));
  const inner = Object.fromEntries([...parts, ...others]) as Schema;
  return { ...schema, ...lengthBeside(schema, max), ...inner };
}

function lengthBeside({ pattern, maxLength }: Schema, max: number | undefined): { readonly maxLength?: number } {
  if (typeof pattern !== 'string') return {};
  const length = smallest([maxLength, max]) ?? (canBeSlow(pattern) ? slowTextMax : undefined);
  return length === undefined ? {} : { maxLength: length };
}

/** A copy of what a reference leads to, with its siblings, if it does not limit its texts as much itself. */
function limitedReference(document: Document, { $ref, ...siblings }: Schema, max: number | undefined): Schema {
  const target = findAt(document, String($ref));
  const own = lengthOf(document, target);
  if (max === undefined || own === max) return { ...siblings, $ref };
  const { allOf = [] } = siblings as Parts;
  return { ...siblings, allOf: [limited(document, target, max), ...allOf] };
}
