import { ApiError, type LibraryErrorCode } from '../../lib/errors.js';
import { type Decision, type OperationDecision, reportedWindow, type WindowStatus } from '../../rate-limits/decide.js';

type AnyDecision = Decision | OperationDecision;
type AnyWindow = WindowStatus<string>;

/**
 * The rate-limit headers of a response: `X-RateLimit-*` for the reported window, and each window in the syntax of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function rateLimitHeaders(decision: AnyDecision): Record<string, string> {
  const { decidedAt } = decision;
  const reported = reportedOf(decision);
  const [first, second] = windowsOf(decision);
  const policies = policyOf(first);
  const states = stateOf(first, decidedAt);
  return {
    'X-RateLimit-Limit': String(reported.limit),
    'X-RateLimit-Remaining': String(reported.remaining),
    'X-RateLimit-Reset': String(Math.ceil(reported.resetAt / 1000)),
    'RateLimit-Policy': second === undefined ? policies : `${policies}, ${policyOf(second)}`,
    RateLimit: second === undefined ? states : `${states}, ${stateOf(second, decidedAt)}`,
  };
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
