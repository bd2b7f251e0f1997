/** A link with the relation `next` (RFC 8288, section 3). */
const nextLink = /<([^<>]*)>\s*;[^<]*\brel="?next"?\s*(?:[;,]|$)/i;

/**
 * The cursor of the next page in a `Link` header; `undefined` on the last page. The rest of the link is not used, so
 * that the API key is only sent to the base URL.
 *
 * @throws TypeError if the next link has no cursor.
 */
export function nextCursor(header: string | null): string | undefined {
  const [, target] = nextLink.exec(header ?? '') ?? [];
  if (target === undefined) return undefined;
  // The base only makes relative links parsable.
  const cursor = new URL(target, 'http://localhost').searchParams.get('cursor');
  if (cursor === null) throw new TypeError(`The next link has no cursor: ${target}`);
  return cursor;
}
