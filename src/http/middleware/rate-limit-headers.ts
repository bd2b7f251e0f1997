import { ApiError } from '../../openapi/api-error.js';
import type { Decision, WindowStatus } from '../../rate-limits/decide.js';

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

/** The 429 for a rejected request. After `Retry-After`, the same window or ban no longer rejects requests. */
export function rateLimitError(decision: Decision | undefined): ApiError {
  if (decision?.rejectedBy === undefined) throw new TypeError('The request was not rejected.');
  const { rejectedBy, reportedWindow, decidedAt } = decision;
  const seconds = String(secondsUntilReset(reportedWindow, decidedAt));
  const headers = { 'Retry-After': seconds };
  switch (rejectedBy) {
    case 'minute':
      return new ApiError(
        'rate_limit_exceeded',
        `The limit of ${String(reportedWindow.limit)} requests per minute is exceeded. Retry after ${seconds} s.`,
        { headers },
      );
    case 'day':
      return new ApiError(
        'daily_quota_exceeded',
        `The quota of ${String(reportedWindow.limit)} requests per day is used up. Retry after ${seconds} s.`,
        { headers },
      );
    case 'ban':
      return new ApiError(
        'api_key_banned',
        `The API key is temporarily banned because 429 responses were ignored. Retry after ${seconds} s.`,
        { headers },
      );
  }
}

function secondsUntilReset({ resetAt }: WindowStatus, now: number): number {
  return Math.max(1, Math.ceil((resetAt - now) / 1000));
}
