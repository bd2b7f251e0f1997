/** What the tests look at in an answer; header names are in lower case. */
interface Received {
  readonly status: number;
  readonly headers: unknown;
  readonly text?: string;
}

/** A whole answer, to be compared with one deep equality: no header and no field may be missing, none too many. */
export interface ComparableResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; `undefined` when there is none. */
  readonly body?: unknown;
}

/**
 * What depends on the moment, the connection and the requests before rather than on the request; the limits have tests
 * of their own.
 */
const incidentalHeaders = new Set([
  ...['cache-control', 'connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id'],
  'x-content-type-options',
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit-policy', 'ratelimit'],
]);

export function responseOf({ status, headers, text }: Received): ComparableResponse {
  const entries = Object.entries(headers as Record<string, string>).filter(([name]) => !incidentalHeaders.has(name));
  const isEmpty = text === undefined || text === '';
  return { status, headers: Object.fromEntries(entries), ...(isEmpty ? {} : { body: JSON.parse(text) as unknown }) };
}

/** The answer that a request must get when it succeeds. */
export function success(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ComparableResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/** The answer that a refused request must get: an Error body of exactly three fields. */
export function apiError(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ComparableResponse {
  return success(status, { code, message, status }, headers);
}
