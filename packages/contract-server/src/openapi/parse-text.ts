import { parseInt64 } from '../json/int64.js';
import type { Schema } from './exact-number.js';
import { findAt } from './json-pointer.js';

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
