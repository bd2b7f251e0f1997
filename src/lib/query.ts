/** The parameters of a query: the value, or all values of a repeated one. The object has no prototype. */
export type Query = Record<string, string | string[]>;

/** Counts the parameters of a query, repeated ones included, without decoding them. */
export function countParameters(text: string): number {
  let count = 0;
  for (const pair of text.split('&')) if (pair !== '') count += 1;
  return count;
}

/**
 * Parses a query without its question mark (`limit=5&status=sold`), form-encoded as in the URL standard. Unlike
 * `URLSearchParams` and `node:querystring`, it rejects invalid percent escapes.
 *
 * @throws URIError if a percent escape is invalid, or its bytes are not UTF-8.
 */
export function parseQuery(text: string): Query {
  const query = Object.create(null) as Query;
  if (text === '') return query;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
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
