/** The parameters of a query: text, or all texts of one that was repeated. Objects have no prototype. */
export type Query = Record<string, string | string[]>;

/** How many parameters a query has, repeated ones included. Nothing is decoded. */
export function countParameters(text: string): number {
  let count = 0;
  for (const pair of text.split('&')) if (pair !== '') count += 1;
  return count;
}

/**
 * Reads a query (`limit=5&status=sold`, without the question mark) as the URL standard's form encoding does, strictly.
 *
 * @throws URIError where a percent escape cannot be decoded, or not to UTF-8.
 */
export function parseQuery(text: string): Query {
  const query = Object.create(null) as Query;
  if (text === '') return query;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    const present = query[name];
    if (present === undefined) query[name] = value;
    else if (typeof present === 'string') query[name] = [present, value];
    else present.push(value);
  }
  return query;
}

function decode(text: string): string {
  return decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}
