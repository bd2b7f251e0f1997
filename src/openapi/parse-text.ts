import { parseInt64 } from '../json/int64.js';
import type { Schema } from './exact-number.js';

/** Reads the text of a parameter or header. Text that is not of the type of its schema stays text, which is invalid. */
export type TextParser = (text: string) => unknown;

const decimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

/** Parsers by JSON type. Numbers are plain decimals: not `0x10`, `1e1`, `+5`, `007` or ` 5`. */
const parsers: Readonly<Record<string, TextParser>> = {
  integer: parseInt64,
  number: (text) => (decimal.test(text) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
};

/** Returns the parser of a parameter, or of the items of an array; `undefined` if every text is a value of it. */
export function findTextParser(schema: Schema = {}): TextParser | undefined {
  const types = typesOf(schema);
  const used = Object.entries(parsers).flatMap(([type, parse]) => (types.has(type) ? [parse] : []));
  if (used.length === 0) return undefined;
  return (text) => used.map((parse) => parse(text)).find((value) => value !== undefined) ?? text;
}

/** Whether the schema allows values of a JSON type. */
export function allowsType(type: 'array' | 'object', schema: Schema = {}): boolean {
  return typesOf(schema, false).has(type);
}

/** The types that a schema without references allows; with `intoItems`, those of the items of an array. */
function typesOf(schema: Schema, intoItems = true): ReadonlySet<string> {
  const { type, items, enum: values = [], const: value } = schema as Parts;
  const combined = [schema['allOf'], schema['anyOf'], schema['oneOf']].flatMap((list) => (list ?? []) as Schema[]);
  const inner = intoItems && items !== undefined ? [items, ...combined] : combined;
  const own = type === undefined ? [...values, value].map((each) => typeof each) : [type].flat();
  return new Set([...own, ...inner.flatMap((each) => [...typesOf(each, intoItems)])]);
}

interface Parts {
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}
