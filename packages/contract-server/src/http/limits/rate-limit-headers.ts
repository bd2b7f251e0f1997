import type { RateLimitFamily } from '@contract-server/core/contract/deployment.js';
import { ApiError, type LibraryErrorCode } from '@contract-server/core/lib/errors.js';
import { type Decision, type OperationDecision, reportedWindow, type WindowStatus } from '../../rate-limits/decide.js';

type AnyDecision = Decision | OperationDecision;
type AnyWindow = WindowStatus<string>;

/** Adds the rate-limit headers of a response to its names and values. */
export type RateLimitHeaders = (raw: (string | string[])[], decision: AnyDecision) => void;

/** The headers of each family. */
export const rateLimitFamilies: Readonly<Record<RateLimitFamily, RateLimitHeaders>> = {
  both: (raw, decision) => {
    addReportedWindow(raw, decision);
    addEachWindow(raw, decision);
  },
  'x-ratelimit': addReportedWindow,
  draft: addEachWindow,
};

/** `X-RateLimit-*`. */
function addReportedWindow(raw: Parameters<RateLimitHeaders>[0], decision: AnyDecision): void {
  const { limit, remaining, resetAt } = reportedOf(decision);
  raw.push('X-RateLimit-Limit', String(limit), 'X-RateLimit-Remaining', String(remaining));
  raw.push('X-RateLimit-Reset', String(Math.ceil(resetAt / 1000)));
}

/** In the syntax of draft-ietf-httpapi-ratelimit-headers-10. */
function addEachWindow(raw: Parameters<RateLimitHeaders>[0], decision: AnyDecision): void {
  const { decidedAt } = decision;
  const [first, second] = windowsOf(decision);
  const policies = policyOf(first);
  const states = stateOf(first, decidedAt);
  raw.push('RateLimit-Policy', second === undefined ? policies : `${policies}, ${policyOf(second)}`);
  raw.push('RateLimit', second === undefined ? states : `${states}, ${stateOf(second, decidedAt)}`);
}

function windowsOf(decision: AnyDecision): readonly [AnyWindow, AnyWindow | undefined] {
  return 'operation' in decision ? [decision.operation, undefined] : [decision.minute, decision.day];
}

function reportedOf(decision: AnyDecision): AnyWindow {
  return 'operation' in decision ? decision.operation : reportedWindow(decision);
}

function policyOf({ name, limit, lengthMs }: AnyWindow): string {
  return `"${name}";q=${String(limit)};w=${String(lengthMs / 1000)}`;
}

function stateOf(window: AnyWindow, now: number): string {
  return `"${window.name}";r=${String(window.remaining)};t=${String(secondsUntilReset(window, now))}`;
}

/** The code and the reason of a 429. */
const rejections = {
  minute: ({ limit }) => ['rate_limit_exceeded', `The limit of ${String(limit)} requests per minute is exceeded.`],
  day: ({ limit }) => ['daily_quota_exceeded', `The quota of ${String(limit)} requests per day is used up.`],
  ban: () => ['api_key_banned', 'The API key is temporarily banned because 429 responses were ignored.'],
  operation: ({ limit, lengthMs }) => {
    const rule = `${String(limit)} requests in ${String(lengthMs / 1000)} s`;
    return ['rate_limit_exceeded', `The limit of this operation, ${rule}, is exceeded.`];
  },
} as const satisfies Record<
  NonNullable<AnyDecision['rejectedBy']>,
  (window: AnyWindow) => readonly [LibraryErrorCode, string]
>;

/**
 * The 429 for a rejected request; `undefined` for an allowed one. After `Retry-After`, the same window or ban no longer
 * rejects requests.
 */
export function findRateLimitError(decision: AnyDecision): ApiError | undefined {
  const { rejectedBy, decidedAt } = decision;
  if (rejectedBy === undefined) return undefined;
  const window = reportedOf(decision);
  const seconds = String(secondsUntilReset(window, decidedAt));
  const [code, reason] = rejections[rejectedBy](window);
  return new ApiError(code, `${reason} Retry after ${seconds} s.`, { headers: { 'Retry-After': seconds } });
}

function secondsUntilReset({ resetAt }: AnyWindow, now: number): number {
  return Math.max(1, Math.ceil((resetAt - now) / 1000));
}
