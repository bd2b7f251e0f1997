import { isDotSegment } from './dot-segments.js';
import { requireExact, stringifyJson } from './exact-json.js';

/** How a parameter is serialized, where it differs from the default of its place. */
export interface ParameterStyle {
  readonly style?: 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';
  readonly explode?: boolean;
  /** Whether reserved characters of the query are not percent-encoded, as far as they do not end the value. */
  readonly allowReserved?: boolean;
  /** The value is sent as JSON. */
  readonly content?: 'application/json';
}

type Place = 'path' | 'query' | 'header' | 'cookie';

/** The `Contract['styles']` of generated types: by method and path, such as `get /pets`, by place and by name. */
export type ParameterStyles = Readonly<
  Record<string, Readonly<Partial<Record<Place, Readonly<Record<string, ParameterStyle>>>>>>
>;

/** The parameters of a call, by place and name. */
export type Parameters = Readonly<Partial<Record<Place, Readonly<Record<string, unknown>>>>>;

/** The parameters as they are sent. */
export interface SentParameters {
  readonly path: string;
  readonly query: string;
  readonly header: Readonly<Record<string, string>>;
}

/**
 * Serializes the parameters of a call as the contract declares them (OpenAPI 3.1.1, section 4.8.12.3). A parameter that
 * is undefined, or has no members, is omitted.
 *
 * @throws TypeError for a value that its style cannot express, a missing path parameter, or a dot segment.
 * @throws RangeError for a number that cannot be sent exactly.
 */
export function sendParameters(
  path: string,
  parameters: Parameters = {},
  styles: ParameterStyles[string] = {},
): SentParameters {
  const textsIn = (place: Place) =>
    Object.entries(parameters[place] ?? {}).flatMap(([name, value]) => {
      const text = serialize({ place, name, ...defaults[place], ...styles[place]?.[name] }, value);
      return text === undefined ? [] : [[name, text] as const];
    });
  const inPath = new Map(textsIn('path'));
  const sentPath = path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const text = inPath.get(name) ?? '';
    if (text === '') throw new TypeError(`${name} is missing: it is undefined, null or empty.`);
    return text;
  });
  const dots = sentPath.split('/').find(isDotSegment);
  if (dots !== undefined)
    throw new TypeError(`A path parameter must not be ${decodeURIComponent(dots)}: it would lead to another path.`);
  const cookies = textsIn('cookie').map(([, text]) => text);
  const query = textsIn('query').map(([, text]) => text);
  const header = {
    ...Object.fromEntries(textsIn('header')),
    ...(cookies.length > 0 && { Cookie: cookies.join('; ') }),
  };
  return { path: sentPath, query: query.join('&'), header };
}

interface Parameter extends ParameterStyle {
  readonly place: Place;
  readonly name: string;
  readonly style: NonNullable<ParameterStyle['style']>;
}

const defaults = {
  path: { style: 'simple' },
  query: { style: 'form' },
  header: { style: 'simple' },
  cookie: { style: 'form' },
} as const;

/** What precedes the value, what separates its members, and what separates them if it is exploded. */
const syntax: Readonly<Record<Parameter['style'], readonly [start: string, separator: string, exploded: string]>> = {
  simple: ['', ',', ','],
  label: ['.', ',', '.'],
  matrix: [';', ',', ';'],
  form: ['', ',', '&'],
  spaceDelimited: ['', '%20', '&'],
  pipeDelimited: ['', '%7C', '&'],
  deepObject: ['', '', '&'],
};

function serialize(parameter: Parameter, value: unknown): string | undefined {
  const { style, content } = parameter;
  if (value === undefined || (value === null && content === undefined)) return undefined;
  const [start] = syntax[style];
  if (content !== undefined) return start + labelOf(parameter) + encode(parameter, stringifyJson(value));
  if (isStructured(value)) return membersOf(parameter, value);
  return start + labelOf(parameter) + encode(parameter, textOf(parameter, value));
}

/** `name=`, in styles that have it. */
function labelOf({ style, place, name }: Parameter): string {
  const isNamed = !['simple', 'label'].includes(style) && place !== 'header';
  return isNamed ? `${encodeURIComponent(name)}=` : '';
}

/** @returns `undefined` without members. */
function membersOf(parameter: Parameter, value: object): string | undefined {
  const { style, name, explode = style === 'form' } = parameter;
  const isList = Array.isArray(value);
  const pairs = Object.entries(value as Readonly<Record<string, unknown>>).filter(
    ([, member]) => isList || member !== undefined,
  );
  if (pairs.length === 0) return undefined;
  if (style === 'deepObject') return deepPairs(parameter, encodeURIComponent(name), value).join('&');
  const [start, separator, explodedSeparator] = syntax[style];
  if (explode) return start + explodedMembers(parameter, pairs, isList).join(explodedSeparator);
  const members = pairs.flatMap<unknown>(([key, member]) => (isList ? [member] : [key, member]));
  return start + labelOf(parameter) + members.map((member) => memberOf(parameter, member)).join(separator);
}

/** @throws TypeError for members that have no syntax of their own. */
function explodedMembers(
  parameter: Parameter,
  pairs: readonly (readonly [string, unknown])[],
  isList: boolean,
): readonly string[] {
  const { style, place } = parameter;
  if (place === 'cookie') refuse(parameter, 'several values, which have no syntax in a cookie unless explode is false');
  if (style.endsWith('Delimited') && !isList) refuse(parameter, `an object, which ${style} cannot explode`);
  return pairs.flatMap(([key, member]) => {
    if (isList) return [labelOf(parameter) + memberOf(parameter, member)];
    // The server reads a property that is sent several times as a list.
    const values = style === 'form' && Array.isArray(member) ? (member as unknown[]) : [member];
    return values.map((each) => `${memberOf(parameter, key)}=${memberOf(parameter, each)}`);
  });
}

/** `filter[price][min]=1`; the items of an array have the same name. */
function deepPairs(parameter: Parameter, name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && !name.includes('%5B')) refuse(parameter, 'an array, which deepObject cannot express');
  if (Array.isArray(value)) return value.flatMap((item) => [`${name}=${encodeURIComponent(textOf(parameter, item))}`]);
  if (!isStructured(value)) return [`${name}=${encodeURIComponent(textOf(parameter, value))}`];
  return Object.entries(value).flatMap(([key, member]) =>
    deepPairs(parameter, `${name}%5B${encodeURIComponent(key)}%5D`, member),
  );
}

function isStructured(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

/** @throws TypeError for null, a nested value and anything else that is no text. */
function textOf(parameter: Parameter, value: unknown): string {
  requireExact(value);
  if (value instanceof Date) return value.toISOString();
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return String(value);
  return refuse(parameter, `${value === null ? 'null' : typeof value} in it, which ${parameter.style} cannot express`);
}

/** The whole value of a parameter. */
function encode({ place, allowReserved = false }: Parameter, text: string): string {
  if (place === 'header') return text;
  const encoded = encodeURIComponent(text);
  if (place !== 'query' || !allowReserved) return encoded;
  return encoded.replace(/%(?:2F|3A|3F|40|24|3B|3D)/g, decodeURIComponent);
}

const delimiters: Readonly<Partial<Record<Parameter['style'], RegExp>>> = { spaceDelimited: / /, pipeDelimited: /\|/ };

/** An item, the name of a property or its value. @throws TypeError for one with a separator that cannot be encoded. */
function memberOf(parameter: Parameter, member: unknown): string {
  const { place, style, explode = false } = parameter;
  const text = textOf(parameter, member);
  const delimiter = place === 'header' ? /[,=]/ : explode ? undefined : delimiters[style];
  if (delimiter?.test(text) === true)
    refuse(parameter, `a member with a delimiter of ${style}, which cannot be encoded`);
  const encoded = encode(parameter, text);
  // The dot separates the members of an exploded label.
  return style === 'label' ? encoded.replaceAll('.', '%2E') : encoded;
}

function refuse({ place, name }: Parameter, what: string): never {
  throw new TypeError(`The ${place} parameter ${name} has ${what}.`);
}
