import type { Schema, Schemas } from '../contract/schemas.js';
import { parseInt64 } from '../json/int64.js';
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

/** Returns the parser of a parameter, or of the items of an array; `undefined` if every text is a value of it. */
export function findTextParser(schemas: Schemas, schema: Schema = {}): TextParser | undefined {
  const types = schemas.typesOf(schema, 'with items');
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

/**
 * Returns a function that replaces the text in a value by values of the declared types, in the fields of objects and
 * the items of arrays at any depth. Where a schema allows an array, a single value becomes an array of one item.
 */
export function valueParserOf(schemas: Schemas, schema: Schema): (value: unknown) => unknown {
  const rules = memberRulesOf(schemas);
  const parse = (value: unknown, node: Node | undefined): unknown => {
    if (typeof node !== 'object') return value;
    if (typeof value === 'object' && value !== null) return parseMembers(value, node);
    if (schemas.allows('array', node)) return parseMembers([value], node);
    return typeof value === 'string' ? (findTextParser(schemas, node)?.(value) ?? value) : value;
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
