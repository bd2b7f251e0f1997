/** The parts of a request target. */
export interface RequestTarget {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

/** The parts of a request target in origin form or absolute form (RFC 9112, section 3.2), as sent. */
export function splitTarget(target: string): RequestTarget {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target);
  const relative = origin === null ? target : target.slice(origin[0].length);
  const mark = relative.indexOf('?');
  const path = mark < 0 ? relative : relative.slice(0, mark);
  return { path: path === '' ? '/' : path, query: mark < 0 ? '' : relative.slice(mark + 1) };
}

/** The origin form of a request target. */
export function originFormOf({ path, query }: RequestTarget): string {
  return query === '' ? path : `${path}?${query}`;
}

/**
 * With percent-encoded letters, digits, `-`, `.`, `_` and `~` of the path decoded (RFC 3986, section 6.2.2.2), and `|`
 * and `^`, which some clients encode: a path has one spelling for the application's middleware and for the router.
 */
export function normalizedTarget(target: string): RequestTarget {
  const { path, query } = splitTarget(target);
  return { path: decodeUnreserved(path), query };
}

/** Decodes the characters that are equivalent to their percent-encoding. Invalid escapes leave the path unchanged. */
function decodeUnreserved(path: string): string {
  if (!path.includes('%') || /%(?![0-9A-Fa-f]{2})/.test(path)) return path;
  return path.replace(/%[2-7][0-9A-F]/gi, (escape) => {
    const character = String.fromCharCode(parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~|^-]/.test(character) ? character : escape;
  });
}
