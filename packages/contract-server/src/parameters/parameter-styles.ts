import type { OpenAPIV3 } from 'openapi-types';
import { findJson } from '../contract/media-types.js';
import type { ParameterPlace } from '../contract/operations.js';
import type { Schema } from '../contract/schema-document.js';
import { parseJson, TooManyValues } from '../json/exact-json.js';
import type { ApiError } from '../lib/errors.js';
import { invalidMember } from '../schema/invalid-member.js';
import { allowsType } from '../schema/parse-text.js';
import { append } from './parse-query.js';

type Parameter = OpenAPIV3.ParameterObject;

/** Reads the text of a parameter as sent: an array, an object or JSON. Their texts are not converted to their types. */
export type Decoder = (text: string) => unknown;

/** The decoders of the parameters in one place whose text is more than one value, by name. */
export type Decoders = readonly (readonly [name: string, decode: Decoder])[];

/** Removes the encoding of a single text, such as percent-encoding. */
type Decode = (text: string) => string;

/** The schema of a parameter, which `content` can contain. */
export function schemaOf({ schema, content }: Parameter): Schema {
  return (schema ?? findJson(content)?.[1].schema ?? {}) as Schema;
}

/** The style with the default of the place (OpenAPI 3.0.4, section 4.7.12.2.1). */
export function styleOf({ in: place, style }: Parameter): string {
  return style ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
}

export function isExploded(parameter: Parameter): boolean {
  return parameter.explode ?? styleOf(parameter) === 'form';
}

/** Whether the properties of an object are parameters of their own: the style `form` in the query, exploded. */
export function hasOwnParameters(document: object, parameter: Parameter): boolean {
  const isForm = parameter.content === undefined && styleOf(parameter) === 'form' && isExploded(parameter);
  return isForm && allowsType('object', document, schemaOf(parameter));
}

/** The maximum number of values in one parameter: parsing and validating each takes time. */
const itemsMax = 1000;

/** What separates the items of an array, and the names and values of an object, by style. */
const delimiters: Readonly<Record<string, RegExp>> = {
  simple: /,/,
  form: /,/,
  // Blanks and pipes are percent-encoded in a query (OpenAPI 3.0.4, appendix E).
  spaceDelimited: /%20|\+/,
  pipeDelimited: /%7C|\|/i,
};

export function decodersOf(document: object, parameters: readonly Parameter[], decode: Decode): Decoders {
  return parameters.flatMap((parameter) => {
    const decoder = findDecoder(document, parameter, decode);
    return decoder === undefined ? [] : [[parameter.name, decoder] as const];
  });
}

/** @returns `undefined` for a parameter whose text is its value, and for one that is sent as several parameters. */
function findDecoder(document: object, parameter: Parameter, decode: Decode): Decoder | undefined {
  if (parameter.content !== undefined) return (text) => parseContent(parameter, decode(text));
  const style = styleOf(parameter);
  const delimiter = delimiters[style];
  if (delimiter === undefined || (style === 'form' && isExploded(parameter))) return undefined;
  const schema = schemaOf(parameter);
  const split = (text: string) => {
    const items = text.split(delimiter, itemsMax + 1);
    if (items.length > itemsMax) throw invalidParameter(parameter, `must have at most ${String(itemsMax)} items.`);
    return items;
  };
  if (allowsType('array', document, schema)) return (text) => split(text).map(decode);
  if (!allowsType('object', document, schema)) return undefined;
  return (text) => fieldsOf(split(text), isExploded(parameter), decode) ?? decode(text);
}

/** @throws ApiError `invalid_request` for text that is not JSON, or has too many values. */
function parseContent(parameter: Parameter, text: string): unknown {
  try {
    return parseJson(Buffer.from(text), itemsMax);
  } catch (error) {
    const { message } = error as Error;
    throw invalidParameter(
      parameter,
      error instanceof TooManyValues ? `has ${message}.` : `is not valid JSON: ${message}`,
    );
  }
}

function invalidParameter({ name, in: place }: Parameter, problem: string): ApiError {
  return invalidMember(place as ParameterPlace, name, problem);
}

/** An object from `R=100,G=200` or `R,100,G,200`; `undefined` if a name has no value. */
function fieldsOf(items: readonly string[], exploded: boolean, decode: Decode): object | undefined {
  const pairs = exploded ? items.map((item) => item.split(/=(.*)/s, 2)) : pairsOf(items);
  const object: Record<string, unknown> = {};
  for (const [name = '', value] of pairs) {
    if (value === undefined) return undefined;
    append(object, decode(name), decode(value));
  }
  return object;
}

function pairsOf(items: readonly string[]): readonly string[][] {
  return items.flatMap((item, index) => (index % 2 === 0 ? [[item, ...items.slice(index + 1, index + 2)]] : []));
}
