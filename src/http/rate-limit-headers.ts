import type { ErrorCode } from '../lib/errors.js';
import { ApiError } from '../lib/errors.js';
import type { Decision, RejectedBy, WindowStatus } from '../rate-limits/decide.js';

/**
 * The rate-limit headers of a response: `X-RateLimit-*` for the reported window, and both windows in the syntax of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function rateLimitHeaders({ windows, reportedWindow, decidedAt }: Decision): Record<string, string> {
  let policies = '';
  let states = '';
  for (const window of windows) {
    const comma = policies === '' ? '' : ', ';
    policies += `${comma}"${window.name}";q=${String(window.limit)};w=${String(window.lengthMs / 1000)}`;
    states += `${comma}"${window.name}";r=${String(window.remaining)};t=${String(secondsUntilReset(window, decidedAt))}`;
  }
  return {
    'X-RateLimit-Limit': String(reportedWindow.limit),
    'X-RateLimit-Remaining': String(reportedWindow.remaining),
    'X-RateLimit-Reset': String(Math.ceil(reportedWindow.resetAt / 1000)),
    'RateLimit-Policy': policies,
    RateLimit: states,
  };
}

/** The code and the reason of a 429. */
const rejections: Readonly<Record<NonNullable<RejectedBy>, (limit: string) => readonly [ErrorCode, string]>> = {
  minute: (limit) => ['rate_limit_exceeded', `The limit of ${limit} requests per minute is exceeded.`],
  day: (limit) => ['daily_quota_exceeded', `The quota of ${limit} requests per day is used up.`],
  ban: () => ['api_key_banned', 'The API key is temporarily banned because 429 responses were ignored.'],
};

/** The 429 for a rejected request. After `Retry-After`, the same window or ban no longer rejects requests. */
export function rateLimitError(decision: Decision | undefined): ApiError {
  if (decision?.rejectedBy === undefined) throw new TypeError('The request was not rejected.');
  const { rejectedBy, reportedWindow, decidedAt } = decision;
  const seconds = String(secondsUntilReset(reportedWindow, decidedAt));
  const [code, reason] = rejections[rejectedBy](String(reportedWindow.limit));
  return new ApiError(code, `${reason} Retry after ${seconds} s.`, { headers: { 'Retry-After': seconds } });
}

function secondsUntilReset({ resetAt }: WindowStatus, now: number): number {
  return Math.max(1, Math.ceil((resetAt - now) / 1000));
}
