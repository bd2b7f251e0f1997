import { ApiError, type LibraryErrorCode } from '../lib/errors.js';
import { type Decision, reportedWindow, type WindowStatus } from '../rate-limits/decide.js';

/**
 * The rate-limit headers of a response: `X-RateLimit-*` for the reported window, and both windows in the syntax of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function rateLimitHeaders({ minute, day, decidedAt }: Decision): Record<string, string> {
  const reported = reportedWindow({ minute, day });
  const policies = policyOf(minute);
  const states = stateOf(minute, decidedAt);
  return {
    'X-RateLimit-Limit': String(reported.limit),
    'X-RateLimit-Remaining': String(reported.remaining),
    'X-RateLimit-Reset': String(Math.ceil(reported.resetAt / 1000)),
    'RateLimit-Policy': day === undefined ? policies : `${policies}, ${policyOf(day)}`,
    RateLimit: day === undefined ? states : `${states}, ${stateOf(day, decidedAt)}`,
  };
}

function policyOf({ name, limit, lengthMs }: WindowStatus): string {
  return `"${name}";q=${String(limit)};w=${String(lengthMs / 1000)}`;
}

function stateOf(window: WindowStatus, now: number): string {
  return `"${window.name}";r=${String(window.remaining)};t=${String(secondsUntilReset(window, now))}`;
}

/** The code and the reason of a 429. */
const rejections = {
  minute: (limit: string) => ['rate_limit_exceeded', `The limit of ${limit} requests per minute is exceeded.`],
  day: (limit: string) => ['daily_quota_exceeded', `The quota of ${limit} requests per day is used up.`],
  ban: () => ['api_key_banned', 'The API key is temporarily banned because 429 responses were ignored.'],
} as const satisfies Record<
  NonNullable<Decision['rejectedBy']>,
  (limit: string) => readonly [LibraryErrorCode, string]
>;

/**
 * The 429 for a rejected request; `undefined` for an allowed one. After `Retry-After`, the same window or ban no longer
 * rejects requests.
 */
export function findRateLimitError(decision: Decision): ApiError | undefined {
  const { rejectedBy, decidedAt } = decision;
  if (rejectedBy === undefined) return undefined;
  const window = reportedWindow(decision);
  const seconds = String(secondsUntilReset(window, decidedAt));
  const [code, reason] = rejections[rejectedBy](String(window.limit));
  return new ApiError(code, `${reason} Retry after ${seconds} s.`, { headers: { 'Retry-After': seconds } });
}

function secondsUntilReset({ resetAt }: WindowStatus, now: number): number {
  return Math.max(1, Math.ceil((resetAt - now) / 1000));
}
