import { findAt } from '../contract/json-pointer.js';
import type { Schema, SchemaDocument } from '../contract/schema-document.js';
import { parseInt64 } from '../json/int64.js';
import { oncePer } from '../lib/once-per.js';
import { memberRulesOf } from './member-rules.js';
import type { Node } from './schema-joins.js';

/** Reads the text of a parameter or header. Text that is not of the type of its schema stays text, which is invalid. */
export type TextParser = (text: string) => unknown;

const decimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

/** Parsers by JSON type. Numbers are plain decimals: not `0x10`, `1e1`, `+5`, `007` or ` 5`. */
const parsers: Readonly<Record<string, TextParser>> = {
  integer: parseInt64,
  number: (text) => (decimal.test(text) ? (parseInt64(text) ?? Number(text)) : undefined),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
};

/**
 * Returns the parser of a parameter, or of the items of an array; `undefined` if every text is a value of it.
 *
 * @param document where references in the schema lead.
 */
export function findTextParser(document: object, schema: Schema = {}): TextParser | undefined {
  const types = typesOf(document, schema, 'itemTypes');
  const used = Object.keys(parsers).filter((type) => types.has(type));
  return used.length === 0 ? undefined : textParserOf(used);
}

/** The parser of a union of types, which is the same each time. */
function textParserOf(types: readonly string[]): TextParser {
  const key = types.join(' ');
  const used = types.flatMap((type) => parsers[type] ?? []);
  const known = unionParsers.get(key);
  const parse = known ?? ((text) => used.map((each) => each(text)).find((value) => value !== undefined) ?? text);
  unionParsers.set(key, parse);
  return parse;
}

const unionParsers = new Map<string, TextParser>();

/** Whether the schema allows values of a JSON type. @param document where references in the schema lead. */
export function allowsType(type: 'array' | 'object' | 'string', document: object, schema: Schema = {}): boolean {
  return typesOf(document, schema, 'types').has(type);
}

/** Whether the schema allows an array or an object. @param document as above. */
export function allowsMembers(document: object, schema: Schema): boolean {
  return allowsType('array', document, schema) || allowsType('object', document, schema);
}

/**
 * Returns a function that replaces the text in a value by values of the declared types, in the fields of objects and
 * the items of arrays at any depth. Where a schema allows an array, a single value becomes an array of one item.
 *
 * @param document where references in the schema lead.
 */
export function valueParserOf(document: SchemaDocument, schema: Schema): (value: unknown) => unknown {
  const rules = memberRulesOf(document);
  const parse = (value: unknown, node: Node | undefined): unknown => {
    if (typeof node !== 'object') return value;
    if (typeof value === 'object' && value !== null) return parseMembers(value, node);
    if (allowsType('array', document, node)) return parseMembers([value], node);
    return typeof value === 'string' ? (findTextParser(document, node)?.(value) ?? value) : value;
  };
  const parseMembers = (value: object, node: Schema): object => {
    const { fields, items } = rules.of(node);
    if (Array.isArray(value)) return value.map((item, index) => parse(item, items?.find(index)));
    const object = value as Record<string, unknown>;
    for (const name of Object.keys(object)) object[name] = parse(object[name], fields?.find(name));
    return object;
  };
  return (value) => parse(value, schema);
}

/** The types that the schemas of a document allow, by schema. */
interface KnownTypes {
  readonly types: WeakMap<Schema, ReadonlySet<string>>;
  /** With those of the items of arrays. */
  readonly itemTypes: WeakMap<Schema, ReadonlySet<string>>;
}

const knownTypesOf = oncePer((_: object): KnownTypes => ({ types: new WeakMap(), itemTypes: new WeakMap() }));

/** The types that a schema allows, which are determined once. */
function typesOf(document: object, schema: Schema, kind: keyof KnownTypes): ReadonlySet<string> {
  const known = knownTypesOf(document);
  const found = known[kind].get(schema);
  if (found !== undefined) return found;
  const types = determineTypes(document, schema, kind === 'itemTypes');
  known[kind].set(schema, types);
  return types;
}

/** A schema can contain itself. */
function determineTypes(document: object, root: Schema, intoItems: boolean): ReadonlySet<string> {
  const types = new Set<string>();
  const schemas = new Set([root]);
  for (const schema of schemas) {
    const { $ref, type, items, enum: values = [], const: value, ...lists } = schema as Parts;
    const own = type === undefined ? [...values, value].map(typeOf) : [type].flat();
    for (const each of own) types.add(each);
    if ($ref !== undefined) schemas.add(findAt(document, $ref) as Schema);
    if (intoItems && items !== undefined) schemas.add(items);
    for (const part of [lists.allOf, lists.anyOf, lists.oneOf].flatMap((list) => list ?? [])) schemas.add(part);
  }
  return types;
}

/** A `bigint` is a number of JSON. */
function typeOf(value: unknown): string {
  return typeof value === 'bigint' ? 'number' : typeof value;
}

interface Parts {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
