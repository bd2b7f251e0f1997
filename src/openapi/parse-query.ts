/** The maximum number of parameters, repeated ones included. */
export const queryParametersMax = 100;

/**
 * Parses a query without its question mark (`limit=5&status=sold`), form-encoded as in the URL standard. Unlike
 * `URLSearchParams` and `node:querystring`, it rejects invalid percent escapes. Returns each value by its name, in an
 * object without a prototype, or `undefined` if there are more than `queryParametersMax` parameters. The value of a
 * repeated parameter is an array.
 *
 * @throws URIError if a percent escape is invalid, or its bytes are not UTF-8.
 */
export function parseQuery(text: string): Record<string, unknown> | undefined {
  const query = Object.create(null) as Record<string, string | string[]>;
  if (text === '') return query;
  // Counted before they are decoded: too many parameters are reported as such, whatever their escapes.
  const pairs = text.split('&').filter((pair) => pair !== '');
  if (pairs.length > queryParametersMax) return undefined;
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    const existing = query[name];
    if (existing === undefined) query[name] = value;
    else if (typeof existing === 'string') query[name] = [existing, value];
    else existing.push(value);
  }
  return query;
}

function decode(text: string): string {
  return decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}
