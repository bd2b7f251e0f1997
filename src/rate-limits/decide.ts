import type { BanRules } from '../openapi/document.js';

/** Milliseconds. */
export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** How many requests are allowed; without `requestsPerDay`, as many a day as the minutes allow. */
export interface Limits {
  readonly requestsPerMinute: number;
  readonly requestsPerDay?: number | undefined;
}

/**
 * What is known of one budget. Instants are Unix milliseconds; 0 stands for never. A minute is started by its first
 * request, a day by the first that is admitted; each lasts its full length from there.
 */
export interface QuotaState {
  minuteStartedAt: number;
  minuteUsed: number;
  minuteRefused: number;
  dayStartedAt: number;
  dayUsed: number;
  /**
   * How often the state was lost and restored, and how many requests of each window were counted before the last loss.
   */
  losses: number;
  minuteRestored: number;
  dayRestored: number;
  /** How many minutes in a row were abused, and when the last of them started. */
  abusedMinutes: number;
  abusedStartedAt: number;
  /** How many bans followed each other, and the time of the last. */
  bans: number;
  bannedAt: number;
  bannedUntil: number;
  /** When an operator last lifted a ban; only in Redis, where it distinguishes an unban from a ban that was lost. */
  unbannedAt: number;
}

export interface WindowView {
  readonly name: 'minute' | 'day';
  readonly limit: number;
  readonly lengthMs: number;
  /** Never negative. */
  readonly remaining: number;
  readonly resetAt: number;
}

/** The decision about one request, and what its sender is told. */
export interface Decision {
  /** What refuses the request; `undefined` when it is admitted. */
  readonly refusedBy: 'minute' | 'day' | 'ban' | undefined;
  /** Whether it is this request that begins a ban. */
  readonly beginsBan?: true;
  readonly windows: readonly WindowView[];
  /**
   * The window that matters: the violated one, else the one with the fewest requests left; of two equal, the later
   * reset.
   */
  readonly decisive: WindowView;
  /** Unix milliseconds: when it was decided. */
  readonly decidedAt: number;
}

export function newQuotaState(): QuotaState {
  return {
    minuteStartedAt: 0,
    minuteUsed: 0,
    minuteRefused: 0,
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
 * Decides about one request and counts it, in one step: both windows, bans, and what follows from a refusal. A refused
 * request counts in neither window. Changes `state`. Without `rules` nobody is banned.
 */
export function decide(state: QuotaState, limits: Limits, rules: BanRules | undefined, now: number): Decision {
  followClock(state, now);
  if (now < state.bannedUntil) return viewOf(state, limits, now, 'ban');
  if (isOver(state.minuteStartedAt, minuteMs, now)) {
    state.minuteStartedAt = now;
    state.minuteUsed = 0;
    state.minuteRefused = 0;
    state.minuteRestored = 0;
  }
  if (isOver(state.dayStartedAt, dayMs, now)) {
    state.dayUsed = 0;
    state.dayRestored = 0;
  }
  const spent = spentWindow(state, limits);
  if (spent !== undefined) return refuse(state, limits, rules, now, spent);
  if (state.dayUsed === 0) state.dayStartedAt = now;
  state.minuteUsed += 1;
  state.dayUsed += 1;
  return viewOf(state, limits, now, undefined);
}

/** What `admit` would tell, without counting anything. */
export function peek(state: QuotaState, limits: Limits, now: number): Decision {
  const copy = { ...state };
  followClock(copy, now);
  return viewOf(copy, limits, now, undefined);
}

/** What is known of a budget at an instant: windows that are over have nothing in them. */
export function usageAt(
  state: QuotaState,
  now: number,
): { minuteUsed: number; dayUsed: number; abusedMinutes: number; bannedUntil: number } {
  const copy = { ...state };
  followClock(copy, now);
  return {
    minuteUsed: isOver(copy.minuteStartedAt, minuteMs, now) ? 0 : copy.minuteUsed,
    dayUsed: isOver(copy.dayStartedAt, dayMs, now) ? 0 : copy.dayUsed,
    abusedMinutes: isOver(copy.abusedStartedAt, 2 * minuteMs, now) ? 0 : copy.abusedMinutes,
    bannedUntil: now < copy.bannedUntil ? copy.bannedUntil : 0,
  };
}

/**
 * Whether a budget can be forgotten: its windows are over, no ban would be a further one, and no node remembers a ban
 * from before an unban.
 */
export function isIdle(state: QuotaState, { rememberedSeconds, longestBanSeconds }: BanRules, now: number): boolean {
  return (
    isOver(state.minuteStartedAt, 2 * minuteMs, now) &&
    isOver(state.dayStartedAt, dayMs, now) &&
    now >= state.bannedUntil + rememberedSeconds * 1000 &&
    isOver(state.unbannedAt, (longestBanSeconds + rememberedSeconds) * 1000, now)
  );
}

/**
 * A clock that was set back would keep windows and bans open for as long as it was set back: they start again at the
 * new time, with what was used. A clock that is set forward ends them.
 */
export function followClock(state: QuotaState, now: number): void {
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

function spentWindow(
  state: QuotaState,
  { requestsPerMinute, requestsPerDay }: Limits,
): 'minute' | 'day' | 'both' | undefined {
  const isMinuteSpent = state.minuteUsed >= requestsPerMinute;
  if (requestsPerDay === undefined || state.dayUsed < requestsPerDay) return isMinuteSpent ? 'minute' : undefined;
  return isMinuteSpent ? 'both' : 'day';
}

function refuse(
  state: QuotaState,
  limits: Limits,
  rules: BanRules | undefined,
  now: number,
  spent: 'minute' | 'day' | 'both',
): Decision {
  state.minuteRefused += 1;
  if (rules !== undefined && state.minuteRefused === rules.abusedMinuteFactor * limits.requestsPerMinute + 1) {
    noteAbusedMinute(state);
    if (state.abusedMinutes >= rules.abusedMinutesInARow) {
      ban(state, rules, now);
      return { ...viewOf(state, limits, now, 'ban'), beginsBan: true };
    }
  }
  if (spent !== 'both') return viewOf(state, limits, now, spent);
  const isDayLater = state.dayStartedAt + dayMs >= state.minuteStartedAt + minuteMs;
  return viewOf(state, limits, now, isDayLater ? 'day' : 'minute');
}

/** Two abused minutes are in a row if the second starts before a whole minute has passed since the end of the first. */
function noteAbusedMinute(state: QuotaState): void {
  const isInARow = state.abusedMinutes > 0 && state.minuteStartedAt - state.abusedStartedAt < 2 * minuteMs;
  state.abusedMinutes = isInARow ? state.abusedMinutes + 1 : 1;
  state.abusedStartedAt = state.minuteStartedAt;
}

function ban(state: QuotaState, rules: BanRules, now: number): void {
  const isFurther = state.bans > 0 && now < state.bannedUntil + rules.rememberedSeconds * 1000;
  state.bans = isFurther ? state.bans + 1 : 1;
  const seconds = Math.min(rules.firstBanSeconds * 2 ** (state.bans - 1), rules.longestBanSeconds);
  state.abusedMinutes = 0;
  state.bannedAt = now;
  state.bannedUntil = now + seconds * 1000;
}

/** What the sender of a request is told about a decision that was made. */
export function viewOf(state: QuotaState, limits: Limits, now: number, refusedBy: Decision['refusedBy']): Decision {
  const open = windowView('minute', limits.requestsPerMinute, minuteMs, state.minuteStartedAt, state.minuteUsed, now);
  const minute = now < state.bannedUntil ? { ...open, remaining: 0, resetAt: state.bannedUntil } : open;
  if (limits.requestsPerDay === undefined) return { refusedBy, windows: [minute], decisive: minute, decidedAt: now };
  const day = windowView('day', limits.requestsPerDay, dayMs, state.dayStartedAt, state.dayUsed, now);
  return { refusedBy, windows: [minute, day], decisive: decisiveOf(minute, day, refusedBy), decidedAt: now };
}

function windowView(
  name: 'minute' | 'day',
  limit: number,
  lengthMs: number,
  startedAt: number,
  used: number,
  now: number,
): WindowView {
  return isOver(startedAt, lengthMs, now)
    ? { name, limit, lengthMs, remaining: limit, resetAt: now + lengthMs }
    : { name, limit, lengthMs, remaining: Math.max(0, limit - used), resetAt: startedAt + lengthMs };
}

function decisiveOf(minute: WindowView, day: WindowView, refusedBy: Decision['refusedBy']): WindowView {
  if (refusedBy !== undefined) return refusedBy === 'day' ? day : minute;
  if (minute.remaining !== day.remaining) return minute.remaining < day.remaining ? minute : day;
  return minute.resetAt > day.resetAt ? minute : day;
}

export function isOver(startedAt: number, lengthMs: number, now: number): boolean {
  return startedAt === 0 || now >= startedAt + lengthMs;
}
