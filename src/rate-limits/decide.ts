import type { BanRules } from '../openapi/document.js';

/** Milliseconds. */
export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** The numbers of a plan. Without `requestsPerDay`, there is no limit per day. */
export interface Limits {
  readonly requestsPerMinute: number;
  readonly requestsPerDay?: number | undefined;
}

/**
 * The state of a quota. Times are in Unix milliseconds; 0 means never. A minute starts with its first request, a day
 * with its first allowed one.
 */
export interface QuotaState {
  minuteStartedAt: number;
  minuteUsed: number;
  minuteRejected: number;
  dayStartedAt: number;
  dayUsed: number;
  /** How often the state was lost and restored, and the requests of each window before the last loss. */
  losses: number;
  minuteRestored: number;
  dayRestored: number;
  /** The number of consecutive abused minutes, and the start of the last one. */
  abusedMinutes: number;
  abusedStartedAt: number;
  /** The number of consecutive bans, and the time of the last one. */
  bans: number;
  bannedAt: number;
  bannedUntil: number;
  /** When an operator last unbanned the quota. Only in Redis, to distinguish an unban from a lost ban. */
  unbannedAt: number;
}

export interface WindowStatus {
  readonly name: 'minute' | 'day';
  readonly limit: number;
  readonly lengthMs: number;
  /** Never negative. */
  readonly remaining: number;
  readonly resetAt: number;
}

/** The reason for a rejection; `undefined` if the request is allowed. */
export type RejectedBy = 'minute' | 'day' | 'ban' | undefined;

/** The decision about a request, with the data of the response headers. */
export interface Decision {
  readonly rejectedBy: RejectedBy;
  /** Whether this request begins a ban. */
  readonly beginsBan?: true;
  readonly windows: readonly WindowStatus[];
  /** The exceeded window, or else the one with the fewest remaining requests; if equal, the one that resets later. */
  readonly reportedWindow: WindowStatus;
  /** Unix milliseconds. */
  readonly decidedAt: number;
}

export function newQuotaState(): QuotaState {
  return {
    minuteStartedAt: 0,
    minuteUsed: 0,
    minuteRejected: 0,
    dayStartedAt: 0,
    dayUsed: 0,
    losses: 0,
    minuteRestored: 0,
    dayRestored: 0,
    abusedMinutes: 0,
    abusedStartedAt: 0,
    bans: 0,
    bannedAt: 0,
    bannedUntil: 0,
    unbannedAt: 0,
  };
}

/**
 * Decides about a request by both windows and bans, and counts it in `state`. A rejected request counts in neither
 * window. Without `rules` there are no bans.
 */
export function decide(state: QuotaState, limits: Limits, rules: BanRules | undefined, now: number): Decision {
  adjustToClock(state, now);
  if (now < state.bannedUntil) return toDecision(state, limits, now, 'ban');
  if (isOver(state.minuteStartedAt, minuteMs, now)) {
    state.minuteStartedAt = now;
    state.minuteUsed = 0;
    state.minuteRejected = 0;
    state.minuteRestored = 0;
  }
  if (isOver(state.dayStartedAt, dayMs, now)) {
    state.dayUsed = 0;
    state.dayRestored = 0;
  }
  const exhausted = findExhaustedWindow(state, limits);
  if (exhausted !== undefined) return reject(state, limits, rules, now, exhausted);
  if (state.dayUsed === 0) state.dayStartedAt = now;
  state.minuteUsed += 1;
  state.dayUsed += 1;
  return toDecision(state, limits, now, undefined);
}

/** The state of the windows, without counting a request. */
export function peek(state: QuotaState, limits: Limits, now: number): Decision {
  const copy = { ...state };
  adjustToClock(copy, now);
  return toDecision(copy, limits, now, undefined);
}

/** The usage of a quota at a time. Windows that have ended, and bans that affect no further one, count 0. */
export function usageAt(
  state: QuotaState,
  rules: BanRules,
  now: number,
): Pick<QuotaState, 'minuteUsed' | 'dayUsed' | 'abusedMinutes' | 'bans' | 'bannedUntil'> {
  const copy = { ...state };
  adjustToClock(copy, now);
  return {
    minuteUsed: isOver(copy.minuteStartedAt, minuteMs, now) ? 0 : copy.minuteUsed,
    dayUsed: isOver(copy.dayStartedAt, dayMs, now) ? 0 : copy.dayUsed,
    abusedMinutes: isOver(copy.abusedStartedAt, 2 * minuteMs, now) ? 0 : copy.abusedMinutes,
    bans: areBansRemembered(copy, rules, now) ? copy.bans : 0,
    bannedUntil: now < copy.bannedUntil ? copy.bannedUntil : 0,
  };
}

/**
 * Whether the state no longer affects a decision: its windows have ended, a ban would be a first one, and no node still
 * has a ban from before an unban.
 */
export function isIdle(state: QuotaState, rules: BanRules, now: number): boolean {
  return (
    isOver(state.minuteStartedAt, 2 * minuteMs, now) &&
    isOver(state.dayStartedAt, dayMs, now) &&
    !areBansRemembered(state, rules, now) &&
    isOver(state.unbannedAt, (rules.longestBanSeconds + rules.rememberedSeconds) * 1000, now)
  );
}

/**
 * Adjusts a state after the clock was set back, so that windows and bans do not last longer by that time: they start at
 * the new time, with their counts.
 */
export function adjustToClock(state: QuotaState, now: number): void {
  if (now < state.minuteStartedAt) {
    state.abusedStartedAt -= state.minuteStartedAt - now;
    state.minuteStartedAt = now;
  }
  if (now < state.dayStartedAt) state.dayStartedAt = now;
  if (now < state.bannedAt) {
    state.bannedUntil -= state.bannedAt - now;
    state.bannedAt = now;
  }
}

function findExhaustedWindow(
  state: QuotaState,
  { requestsPerMinute, requestsPerDay }: Limits,
): 'minute' | 'day' | 'both' | undefined {
  const isMinuteExhausted = state.minuteUsed >= requestsPerMinute;
  if (requestsPerDay === undefined || state.dayUsed < requestsPerDay) return isMinuteExhausted ? 'minute' : undefined;
  return isMinuteExhausted ? 'both' : 'day';
}

function reject(
  state: QuotaState,
  limits: Limits,
  rules: BanRules | undefined,
  now: number,
  exhausted: 'minute' | 'day' | 'both',
): Decision {
  state.minuteRejected += 1;
  if (rules !== undefined && state.minuteRejected === rules.abusedMinuteFactor * limits.requestsPerMinute + 1) {
    countAbusedMinute(state);
    if (state.abusedMinutes >= rules.abusedMinutesInARow) {
      ban(state, rules, now);
      return { ...toDecision(state, limits, now, 'ban'), beginsBan: true };
    }
  }
  if (exhausted !== 'both') return toDecision(state, limits, now, exhausted);
  const isDayLater = state.dayStartedAt + dayMs >= state.minuteStartedAt + minuteMs;
  return toDecision(state, limits, now, isDayLater ? 'day' : 'minute');
}

/** Two abused minutes are consecutive if the second starts less than a minute after the end of the first. */
function countAbusedMinute(state: QuotaState): void {
  const isConsecutive = state.abusedMinutes > 0 && state.minuteStartedAt - state.abusedStartedAt < 2 * minuteMs;
  state.abusedMinutes = isConsecutive ? state.abusedMinutes + 1 : 1;
  state.abusedStartedAt = state.minuteStartedAt;
}

function ban(state: QuotaState, rules: BanRules, now: number): void {
  state.bans = areBansRemembered(state, rules, now) ? state.bans + 1 : 1;
  const seconds = Math.min(rules.firstBanSeconds * 2 ** (state.bans - 1), rules.longestBanSeconds);
  state.abusedMinutes = 0;
  state.bannedAt = now;
  state.bannedUntil = now + seconds * 1000;
}

/** Whether a ban would be a further one, which lasts longer. */
function areBansRemembered({ bannedUntil }: QuotaState, { rememberedSeconds }: BanRules, now: number): boolean {
  return now < bannedUntil + rememberedSeconds * 1000;
}

/** Creates the decision from a state that has already been changed. */
export function toDecision(state: QuotaState, limits: Limits, now: number, rejectedBy: RejectedBy): Decision {
  const { requestsPerMinute, requestsPerDay } = limits;
  const open = toWindowStatus('minute', requestsPerMinute, minuteMs, state.minuteStartedAt, state.minuteUsed, now);
  const minute = now < state.bannedUntil ? { ...open, remaining: 0, resetAt: state.bannedUntil } : open;
  if (requestsPerDay === undefined) return { rejectedBy, windows: [minute], reportedWindow: minute, decidedAt: now };
  const day = toWindowStatus('day', requestsPerDay, dayMs, state.dayStartedAt, state.dayUsed, now);
  const reportedWindow = selectReportedWindow(minute, day, rejectedBy);
  return { rejectedBy, windows: [minute, day], reportedWindow, decidedAt: now };
}

function toWindowStatus(
  name: 'minute' | 'day',
  limit: number,
  lengthMs: number,
  startedAt: number,
  used: number,
  now: number,
): WindowStatus {
  return isOver(startedAt, lengthMs, now)
    ? { name, limit, lengthMs, remaining: limit, resetAt: now + lengthMs }
    : { name, limit, lengthMs, remaining: Math.max(0, limit - used), resetAt: startedAt + lengthMs };
}

function selectReportedWindow(minute: WindowStatus, day: WindowStatus, rejectedBy: RejectedBy): WindowStatus {
  if (rejectedBy !== undefined) return rejectedBy === 'day' ? day : minute;
  if (minute.remaining !== day.remaining) return minute.remaining < day.remaining ? minute : day;
  return minute.resetAt > day.resetAt ? minute : day;
}

export function isOver(startedAt: number, lengthMs: number, now: number): boolean {
  return startedAt === 0 || now >= startedAt + lengthMs;
}
