import type { OpenAPIV3 } from 'openapi-types';
import type { Schema } from './exact-number.js';
import { allowsType, findTextParser } from './parse-text.js';

/** The name of a parameter that is not text, and a function that parses the values that were sent as text. */
export type ParameterParser = readonly [name: string, parse: (value: unknown) => unknown];

/** @param document where references lead. */
export function parsersOf(document: object, parameters: readonly OpenAPIV3.ParameterObject[]): ParameterParser[] {
  return parameters.flatMap((parameter) => parserOf(document, parameter));
}

function parserOf(document: object, { name, schema }: OpenAPIV3.ParameterObject): ParameterParser[] {
  const parseText = findTextParser(document, schema as Schema);
  const parse = (value: unknown) => (typeof value === 'string' && parseText !== undefined ? parseText(value) : value);
  // An item of an array that is sent once is an array too.
  if (allowsType('array', document, schema as Schema)) return [[name, (value) => [value].flat().map(parse)]];
  return parseText === undefined ? [] : [[name, parse]];
}

/** Replaces the text of parameters in place. */
export function parseValues(values: Record<string, unknown>, parsers: readonly ParameterParser[]): void {
  for (const [name, parse] of parsers) {
    if (values[name] !== undefined && Object.hasOwn(values, name)) values[name] = parse(values[name]);
  }
}
