import { memberOf, setMember } from '../json/object-members.js';
import { ApiError } from '../lib/errors.js';

/** The maximum number of parameters, repeated ones included. */
const parametersMax = 100;

/**
 * Parses a query without its question mark (`limit=5&status=sold`), form-encoded as in the URL standard. Unlike
 * `URLSearchParams` and `node:querystring`, it rejects invalid percent escapes. Returns each value by its name. The
 * value of a repeated parameter is an array.
 *
 * @throws ApiError `invalid_request` for more than 100 parameters.
 * @throws URIError if a percent escape is invalid, or its bytes are not UTF-8.
 */
export function parseQuery(text: string): Record<string, unknown> {
  return text === '' ? {} : parsePairs(splitQuery(text));
}

/** Parses `name=value` pairs. @throws URIError if an escape is invalid or not UTF-8. */
export function parsePairs(pairs: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    append(values, nameIn(pair, equals), decodeForm(equals < 0 ? '' : pair.slice(equals + 1)));
  }
  return values;
}

/**
 * The parameters of a query, each as sent.
 *
 * @throws ApiError `invalid_request` for more than 100.
 */
export function splitQuery(text: string): readonly string[] {
  // Counted before they are decoded: too many parameters are reported as such, whatever their escapes.
  const pairs = text.split('&').filter((pair) => pair !== '');
  if (pairs.length <= parametersMax) return pairs;
  const message = `The query must have at most ${String(parametersMax)} parameters.`;
  throw new ApiError('invalid_request', message, { violations: [{ in: 'query', pointer: '', message }] });
}

/** The name of a parameter that is sent as `name=value`. @param equals the index of `=`; negative without one. */
export function nameIn(pair: string, equals: number): string {
  return decodeForm(equals < 0 ? pair : pair.slice(0, equals));
}

/** @throws URIError */
export function decodeForm(text: string): string {
  return decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/** Adds a value to an object. The value of a repeated name is an array. */
export function append(object: Record<string, unknown>, name: string, value: unknown): void {
  const existing = memberOf(object, name);
  if (Array.isArray(existing)) existing.push(value);
  else setMember(object, name, existing === undefined ? value : [existing, value]);
}
