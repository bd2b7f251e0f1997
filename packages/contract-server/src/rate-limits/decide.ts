import type { BanRule, PlanLimits } from '@contract-server/core/contract/document.js';

/** Milliseconds. */
export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** A quota without requests. Its keys are the fields of every store. */
export const newQuotaState = {
  minuteStartedAt: 0,
  minuteUsed: 0,
  minuteRejected: 0,
  dayStartedAt: 0,
  dayUsed: 0,
  bannedUntil: 0,
} as const;

/** The windows and the ban of a quota. Times are in Unix milliseconds; 0 means never. */
export type QuotaState = Record<keyof typeof newQuotaState, number>;

/** What `keys unban` changes: it ends the ban and resets the minute. The day stays. */
export const resetFields = { minuteStartedAt: 0, minuteUsed: 0, minuteRejected: 0, bannedUntil: 0 } as const;

export interface WindowStatus<Name = 'minute' | 'day'> {
  readonly name: Name;
  readonly limit: number;
  readonly lengthMs: number;
  /** Never negative; 0 during a ban. */
  readonly remaining: number;
  /** The end of the window, or that of the ban. */
  readonly resetAt: number;
}

/** The decision about a request, with the data of the response headers. */
export interface Decision {
  /** The reason for a rejection; `undefined` if the request is allowed. */
  readonly rejectedBy: 'minute' | 'day' | 'ban' | undefined;
  /** Whether this request begins a ban. */
  readonly beginsBan?: boolean;
  readonly minute: WindowStatus;
  /** `undefined` for client addresses. */
  readonly day?: WindowStatus | undefined;
  /** Unix milliseconds; `undefined` without a ban. */
  readonly bannedUntil?: number | undefined;
  /** Unix milliseconds. */
  readonly decidedAt: number;
}

/** The decision about a request by the limit of its operation, from `x-rate-limit`. */
export interface OperationDecision extends Pick<Decision, 'decidedAt'> {
  readonly rejectedBy: 'operation' | undefined;
  readonly operation: WindowStatus<'operation'>;
}

/**
 * Decides about a request by ban, minute and day, and counts it in `state`. A rejected request counts in neither
 * window. More than `rejectedRequestsFactor` times the minute limit of rejected requests in one minute begin a ban.
 */
export function decide(state: QuotaState, limits: PlanLimits, rule: BanRule, now: number): Decision {
  startWindows(state, rule, now);
  if (now < state.bannedUntil) return toDecision(state, limits, now, true);
  if (state.minuteUsed < limits.requestsPerMinute && state.dayUsed < limits.requestsPerDay) {
    state.minuteUsed += 1;
    state.dayUsed += 1;
    return toDecision(state, limits, now, false);
  }
  state.minuteRejected += 1;
  const beginsBan = state.minuteRejected > rule.rejectedRequestsFactor * limits.requestsPerMinute;
  if (beginsBan) state.bannedUntil = now + rule.seconds * 1000;
  return toDecision(state, limits, now, true, beginsBan);
}

/** The state of the windows, without counting a request. */
export function peek(state: Readonly<QuotaState>, limits: PlanLimits, rule: BanRule, now: number): Decision {
  const copy = { ...state };
  startWindows(copy, rule, now);
  return toDecision(copy, limits, now, false);
}

/** Whether the state no longer affects a decision. */
export function isIdle({ minuteStartedAt, dayStartedAt, bannedUntil }: QuotaState, now: number): boolean {
  return now >= Math.max(minuteStartedAt + minuteMs, dayStartedAt + dayMs, bannedUntil);
}

/** Creates the decision from a state whose windows include `now`, after the request was counted. */
export function toDecision(
  state: QuotaState,
  { requestsPerMinute, requestsPerDay }: PlanLimits,
  now: number,
  isRejected: boolean,
  beginsBan = false,
): Decision {
  const isBanned = now < state.bannedUntil;
  const minute: WindowStatus = {
    name: 'minute',
    limit: requestsPerMinute,
    lengthMs: minuteMs,
    remaining: isBanned ? 0 : Math.max(0, requestsPerMinute - state.minuteUsed),
    resetAt: isBanned ? state.bannedUntil : state.minuteStartedAt + minuteMs,
  };
  const day: WindowStatus = {
    name: 'day',
    limit: requestsPerDay,
    lengthMs: dayMs,
    remaining: Math.max(0, requestsPerDay - state.dayUsed),
    resetAt: state.dayStartedAt + dayMs,
  };
  const bannedUntil = isBanned ? state.bannedUntil : undefined;
  const rejectedBy = isRejected ? (isBanned ? 'ban' : reportedWindow({ minute, day }).name) : undefined;
  return { rejectedBy, beginsBan, minute, day, bannedUntil, decidedAt: now };
}

/**
 * The window that `X-RateLimit-*` and `Retry-After` describe: the one with the fewest remaining requests or, in a tie,
 * the one that resets later. A request after its reset is allowed.
 */
export function reportedWindow({ minute, day }: Pick<Decision, 'minute' | 'day'>): WindowStatus {
  if (day === undefined) return minute;
  if (minute.remaining !== day.remaining) return minute.remaining < day.remaining ? minute : day;
  return minute.resetAt > day.resetAt ? minute : day;
}

/**
 * Starts the windows that are over, or that have no request: the day starts with its first allowed request, the minute
 * with any. If the clock was set back, windows and the ban start at the new time, with their counts, so that they do
 * not last longer; rejections start again, so that two minutes of them cause no ban.
 */
function startWindows(state: QuotaState, rule: BanRule, now: number): void {
  if (now >= state.minuteStartedAt + minuteMs) {
    state.minuteUsed = 0;
    state.minuteRejected = 0;
    state.minuteStartedAt = now;
  }
  if (now >= state.dayStartedAt + dayMs) state.dayUsed = 0;
  if (state.dayUsed === 0) state.dayStartedAt = now;
  if (now < state.minuteStartedAt) {
    state.minuteStartedAt = now;
    state.minuteRejected = 0;
  }
  state.dayStartedAt = Math.min(state.dayStartedAt, now);
  state.bannedUntil = Math.min(state.bannedUntil, now + rule.seconds * 1000);
}
