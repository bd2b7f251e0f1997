/** The rate-limit window with the fewest requests remaining. */
export interface RateLimit {
  /** Request limit of the window. */
  readonly limit: number;
  /** Requests remaining in the window. */
  readonly remaining: number;
  /** When the window resets, by the clock of the service. */
  readonly resetsAt: Date;
}

/** The `X-RateLimit-*` headers; `undefined` if one of them is missing or invalid. */
export function rateLimitOf(headers: Headers): RateLimit | undefined {
  const [limit, remaining, reset] = (['Limit', 'Remaining', 'Reset'] as const).map((name) => {
    const value = headers.get(`X-RateLimit-${name}`) ?? '';
    return /^[0-9]+$/.test(value) ? Number(value) : undefined;
  });
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, resetsAt: new Date(reset * 1000) };
}

export function requestIdOf(headers: Headers): string | undefined {
  return headers.get('X-Request-Id') ?? undefined;
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3), relative to `Date` if that is present. */
export function retryAfterSecondsOf(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('Retry-After') ?? '';
  if (/^[0-9]+$/.test(value)) return Number(value);
  const until = parseDate(value);
  if (Number.isNaN(until)) return undefined;
  const sentAt = parseDate(headers.get('Date') ?? '');
  return Math.max(0, Math.ceil((until - (Number.isNaN(sentAt) ? nowMs : sentAt)) / 1000));
}

/** Parses an HTTP date in any of its three formats, the oldest of which has no time zone; `NaN` if it is invalid. */
function parseDate(text: string): number {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}

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
