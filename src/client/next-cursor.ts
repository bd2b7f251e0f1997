/**
 * A link and its parameters (RFC 8288, section 3): commas and semicolons within quotes or angle brackets separate
 * nothing.
 */
const link = /<([^>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const parameter = /;\s*([^\s;,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/**
 * Where the next page begins, according to a `Link` header; `undefined` on the last page. Only the cursor is taken from
 * the link: the key goes nowhere but to the service that the caller named, wherever the link leads.
 *
 * @throws TypeError if there is a next page, and no telling where.
 */
export function nextCursor(header: string | null): string | undefined {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(link)) {
    if (!relationsOf(parameters).includes('next')) continue;
    // The base is for a relative link, and is not called.
    const cursor = new URL(target, 'http://localhost').searchParams.get('cursor');
    if (cursor === null) throw new TypeError(`The next link has no cursor: ${target}`);
    return cursor;
  }
  return undefined;
}

/** Of several `rel` the first counts; it may hold several relations, in any case. */
function relationsOf(parameters: string): string[] {
  for (const [, name = '', quoted, plain = ''] of parameters.matchAll(parameter)) {
    if (name.toLowerCase() === 'rel') return (quoted ?? plain).toLowerCase().split(/\s+/);
  }
  return [];
}
