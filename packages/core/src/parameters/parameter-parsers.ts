import type { Parameter } from '../contract/parameters.js';
import type { Schemas } from '../contract/schemas.js';
import { findTextParser, valueParserOf } from '../schema/parse-text.js';

/** The name of a parameter that is not text, and a function that parses the values that were sent as text. */
export type ParameterParser = readonly [name: string, parse: (value: unknown) => unknown];

/** @param schemas where references lead. */
export function parsersOf(schemas: Schemas, parameters: readonly Parameter[]): ParameterParser[] {
  return parameters.flatMap((parameter) => parserOf(schemas, parameter));
}

function parserOf(schemas: Schemas, { name, isJson, schema }: Parameter): ParameterParser[] {
  // JSON has its types.
  if (isJson) return [];
  if (schemas.allows('object', schema)) return [[name, valueParserOf(schemas, schema)]];
  const parseText = findTextParser(schemas, schema);
  const parse = (value: unknown) => (typeof value === 'string' && parseText !== undefined ? parseText(value) : value);
  // An item of an array that is sent once is an array too.
  if (schemas.allows('array', schema)) return [[name, (value) => [value].flat().map(parse)]];
  return parseText === undefined ? [] : [[name, parse]];
}

/** Replaces the text of parameters in place. */
export function parseValues(values: Record<string, unknown>, parsers: readonly ParameterParser[]): void {
  for (const [name, parse] of parsers) {
    if (values[name] !== undefined && Object.hasOwn(values, name)) values[name] = parse(values[name]);
  }
}
