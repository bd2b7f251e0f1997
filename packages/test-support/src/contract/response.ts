type Headers = Readonly<Record<string, string>>;

/** The parts of a response that tests compare. Header names are in lower case. */
interface Received {
  readonly status: number;
  readonly headers: unknown;
  readonly text?: string;
}

/** A complete response, to be compared with one deep equality: no header or field may be missing or additional. */
export interface ComparableResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; `undefined` when there is none. */
  readonly body?: unknown;
}

/**
 * Headers that depend on the time, the connection and earlier requests. The rate-limit headers have separate tests.
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

/** The expected response to a successful request. */
export function success(status: number, body: unknown, headers: Headers = {}): ComparableResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/** The expected error response: a body of exactly three fields. */
export function apiError(status: number, code: string, message: string, headers?: Headers): ComparableResponse {
  return success(status, { code, message, status }, headers);
}
