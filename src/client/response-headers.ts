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
