import { parseInt64 } from '../json/int64.js';
import type { SchemaDocument } from './create-ajv.js';
import type { Schema } from './exact-number.js';
import { findAt } from './json-pointer.js';
import { MemberRules, type Node } from './member-rules.js';

/** Reads the text of a parameter or header. Text that is not of the type of its schema stays text, which is invalid. */
export type TextParser = (text: string) => unknown;

const decimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

/** Parsers by JSON type. Numbers are plain decimals: not `0x10`, `1e1`, `+5`, `007` or ` 5`. */
const parsers: Readonly<Record<string, TextParser>> = {
  integer: parseInt64,
  number: (text) => (decimal.test(text) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
};

/**
 * Returns the parser of a parameter, or of the items of an array; `undefined` if every text is a value of it.
 *
 * @param document where references in the schema lead.
 */
export function findTextParser(document: object, schema: Schema = {}): TextParser | undefined {
  const types = typesOf(document, schema, true);
  const used = Object.entries(parsers).flatMap(([type, parse]) => (types.has(type) ? [parse] : []));
  if (used.length === 0) return undefined;
  return (text) => used.map((parse) => parse(text)).find((value) => value !== undefined) ?? text;
}

/** Whether the schema allows values of a JSON type. @param document where references in the schema lead. */
export function allowsType(type: 'array' | 'object' | 'string', document: object, schema: Schema = {}): boolean {
  return typesOf(document, schema, false).has(type);
}

/**
 * Returns a function that replaces the text in a value by values of the declared types, in the fields of objects and
 * the items of arrays at any depth. Where a schema allows an array, a single value becomes an array of one item.
 *
 * @param document where references in the schema lead.
 */
export function valueParserOf(document: SchemaDocument, schema: Schema): (value: unknown) => unknown {
  const rules = new MemberRules(document);
  const parsersOfText = new WeakMap<Schema, TextParser>();
  const parseText = (text: string, node: Schema): unknown => {
    const parser = parsersOfText.get(node) ?? findTextParser(document, node) ?? String;
    parsersOfText.set(node, parser);
    return parser(text);
  };
  const parse = (value: unknown, node: Node | undefined): unknown => {
    if (typeof node !== 'object') return value;
    if (typeof value === 'object' && value !== null) return parseMembers(value, node);
    if (allowsType('array', document, node)) return parseMembers([value], node);
    return typeof value === 'string' ? parseText(value, node) : value;
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

/** The types that a schema allows; with `intoItems`, those of the items of an array. A schema can contain itself. */
function typesOf(document: object, schema: Schema, intoItems: boolean, seen = new Set<unknown>()): Set<string> {
  if (seen.has(schema)) return new Set();
  seen.add(schema);
  const { $ref, type, items, enum: values = [], const: value, ...lists } = schema as Parts;
  const own = type === undefined ? [...values, value].map((each) => typeof each) : [type].flat();
  const inner = [lists.allOf, lists.anyOf, lists.oneOf].flatMap((list) => list ?? []);
  if ($ref !== undefined) inner.push(findAt(document, $ref) as Schema);
  if (intoItems && items !== undefined) inner.push(items);
  return new Set([...own, ...inner.flatMap((each) => [...typesOf(document, each, intoItems, seen)])]);
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
