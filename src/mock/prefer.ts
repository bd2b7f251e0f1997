import { ApiError } from '../openapi/api-error.js';

/** A word, in quotes or not, or what separates words, with the blanks around it. */
const lexeme = /[ \t]*("(?:[^"\\]|\\.)*"|[!#$%&'*+.^_`|~\w-]+|[=;,])[ \t]*/gy;

/**
 * The preferences of a request, by their names in lower case (RFC 7240, section 2): of one that stands twice the first.
 * One without a value has an empty one. Parameters of preferences are left out.
 *
 * @throws ApiError `invalid_request` if the header is no list of preferences.
 */
export function readPreferences(header = ''): ReadonlyMap<string, string> {
  const matches = [...header.matchAll(lexeme)];
  const readLength = matches.reduce((length, [text]) => length + text.length, 0);
  if (readLength < header.length) throw malformed();
  const lexemes = matches.map(([, text = '']) => text);
  // A list may have empty elements (RFC 9110, section 5.6.1).
  const elements = split(lexemes, ',').filter(({ length }) => length > 0);
  // Of one name the last entry wins in a map, and that shall be the first.
  return new Map(elements.map(readPreference).reverse());
}

function readPreference(lexemes: readonly string[]): [name: string, value: string] {
  const [preference = [], ...parameters] = split(lexemes, ';');
  const isSound = [preference, ...parameters.filter(({ length }) => length > 0)].every(isPair);
  if (!isSound) throw malformed();
  const [name = '', , value = ''] = preference;
  return [name.toLowerCase(), unquoted(value)];
}

function split(lexemes: readonly string[], separator: string): string[][] {
  const parts: string[][] = [[]];
  for (const text of lexemes) {
    if (text === separator) parts.push([]);
    else parts.at(-1)?.push(text);
  }
  return parts;
}

/** Whether it is a name, alone or with a value. */
function isPair(lexemes: readonly string[]): boolean {
  const [name = '', equals, value] = lexemes;
  const hasValue = lexemes.length === 3 && equals === '=' && value !== '=';
  return /^[^"=]/.test(name) && (lexemes.length === 1 || hasValue);
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}

function malformed(): ApiError {
  return new ApiError(
    'invalid_request',
    'Header prefer must be a list of preferences like code=404, example=unknownPet.',
  );
}
