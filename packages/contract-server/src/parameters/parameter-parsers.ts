import type { Parameter } from '../contract/parameters.js';
import type { SchemaDocument } from '../contract/schema-document.js';
import { allowsType, findTextParser, valueParserOf } from '../schema/parse-text.js';

/** The name of a parameter that is not text, and a function that parses the values that were sent as text. */
export type ParameterParser = readonly [name: string, parse: (value: unknown) => unknown];

/** @param document where references lead. */
export function parsersOf(document: SchemaDocument, parameters: readonly Parameter[]): ParameterParser[] {
  return parameters.flatMap((parameter) => parserOf(document, parameter));
}

function parserOf(document: SchemaDocument, { name, isJson, schema }: Parameter): ParameterParser[] {
  // JSON has its types.
  if (isJson) return [];
  if (allowsType('object', document, schema)) return [[name, valueParserOf(document, schema)]];
  const parseText = findTextParser(document, schema);
  const parse = (value: unknown) => (typeof value === 'string' && parseText !== undefined ? parseText(value) : value);
  // An item of an array that is sent once is an array too.
  if (allowsType('array', document, schema)) return [[name, (value) => [value].flat().map(parse)]];
  return parseText === undefined ? [] : [[name, parse]];
}

/** Replaces the text of parameters in place. */
export function parseValues(values: Record<string, unknown>, parsers: readonly ParameterParser[]): void {
  for (const [name, parse] of parsers) {
    if (values[name] !== undefined && Object.hasOwn(values, name)) values[name] = parse(values[name]);
  }
}
