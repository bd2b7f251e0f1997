import { ApiError } from '../lib/errors.js';

/** The maximum number of parameters, repeated ones included. */
const parametersMax = 100;

/**
 * Parses a query without its question mark (`limit=5&status=sold`), form-encoded as in the URL standard. Unlike
 * `URLSearchParams` and `node:querystring`, it rejects invalid percent escapes. Returns each value by its name, in an
 * object without a prototype. The value of a repeated parameter is an array.
 *
 * @throws ApiError `invalid_request` for more than 100 parameters.
 * @throws URIError if a percent escape is invalid, or its bytes are not UTF-8.
 */
export function parseQuery(text: string): Record<string, unknown> {
  if (text === '') return Object.create(null) as Record<string, unknown>;
  // Counted before they are decoded: too many parameters are reported as such, whatever their escapes.
  const pairs = text.split('&').filter((pair) => pair !== '');
  if (pairs.length > parametersMax) {
    const message = `The query must have at most ${String(parametersMax)} parameters.`;
    throw new ApiError('invalid_request', message, { violations: [{ in: 'query', pointer: '', message }] });
  }
  return parsePairs(pairs);
}

/** Parses `name=value` pairs, which are not empty. @throws URIError if an escape is invalid or not UTF-8. */
export function parsePairs(pairs: readonly string[]): Record<string, string | string[]> {
  const values = Object.create(null) as Record<string, string | string[]>;
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    const existing = values[name];
    if (existing === undefined) values[name] = value;
    else if (typeof existing === 'string') values[name] = [existing, value];
    else existing.push(value);
  }
  return values;
}

function decode(text: string): string {
  return decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}
