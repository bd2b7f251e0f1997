/** A link and its parameters (RFC 8288, section 3). Quoted strings and URLs may contain commas and semicolons. */
const link = /<([^>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const parameter = /;\s*([^\s;,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/**
 * The cursor of the next page in a `Link` header; `undefined` on the last page. The rest of the link is not used, so
 * that the API key is only sent to the base URL.
 *
 * @throws TypeError if the next link has no cursor.
 */
export function nextCursor(header: string | null): string | undefined {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(link)) {
    if (!relationsOf(parameters).includes('next')) continue;
    // The base only makes relative links parsable.
    const cursor = new URL(target, 'http://localhost').searchParams.get('cursor');
    if (cursor === null) throw new TypeError(`The next link has no cursor: ${target}`);
    return cursor;
  }
  return undefined;
}

/** Only the first `rel` counts. It may contain several relations, in upper or lower case. */
function relationsOf(parameters: string): string[] {
  for (const [, name = '', quoted, plain = ''] of parameters.matchAll(parameter)) {
    if (name.toLowerCase() === 'rel') return (quoted ?? plain).toLowerCase().split(/\s+/);
  }
  return [];
}
