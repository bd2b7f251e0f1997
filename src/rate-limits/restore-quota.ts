import { type Decision, dayMs, decide, followClock, isOver, type Limits, minuteMs, type QuotaState } from './decide.js';
import { clearBan } from './rate-limit-store.js';

/** The state of a quota as a node knows it. The stored state may have been lost. */
export interface KnownQuota {
  readonly state: QuotaState;
  /** The requests in each window of `state` that the node allowed alone and never sent to the store. */
  readonly uncounted: { readonly minute: number; readonly day: number };
}

const windows = ['minute', 'day'] as const;
type Window = (typeof windows)[number];

const fieldsOf = {
  minute: { startedAt: 'minuteStartedAt', used: 'minuteUsed', restored: 'minuteRestored', lengthMs: minuteMs },
  day: { startedAt: 'dayStartedAt', used: 'dayUsed', restored: 'dayRestored', lengthMs: dayMs },
} as const;

/**
 * Merges a known state into the stored state, in place. No count decreases, and no ban becomes shorter unless an
 * operator has cleared it. If both have an open window, the merged window has the earlier start, so that no client waits
 * longer than a node's `Retry-After`. Merging the same state again changes nothing, except that it adds `uncounted`
 * again.
 */
export function restoreQuota(state: QuotaState, { state: known, uncounted }: KnownQuota, now: number): void {
  const account = { ...known };
  followClock(state, now);
  followClock(account, now);
  restoreBans(state, account);
  restoreRejections(state, account, now);
  const isNewLoss = state.losses <= account.losses && windows.some((window) => isMissing(state, account, window, now));
  for (const window of windows) restoreWindow(state, account, window, { uncounted: uncounted[window], isNewLoss, now });
  state.losses = Math.max(state.losses, account.losses + Number(isNewLoss));
}

/** Whether a stored state lacks requests or a ban that an earlier one has. */
export function hasLost(state: QuotaState, before: QuotaState, now: number): boolean {
  return (
    hasLostWindow(state, before, 'minute', now) ||
    hasLostWindow(state, before, 'day', now) ||
    hasLostBan(state, before, now)
  );
}

/**
 * Repeats the decision about a request that was allowed, and counted, on a `lost` state, after that state was
 * restored.
 */
export function decideAgain(lost: QuotaState, restored: QuotaState, limits: Limits, now: number): Decision {
  const state = { ...restored };
  for (const window of windows) {
    const { startedAt, used, restored: before } = fieldsOf[window];
    state[used] = (lost[startedAt] === restored[startedAt] ? 0 : restored[before]) + lost[used] - 1;
  }
  return decide(state, limits, undefined, now);
}

/** Bans from before the later of the two unbans are dropped. */
function restoreBans(state: QuotaState, account: QuotaState): void {
  if (account.unbannedAt < state.unbannedAt) clearBan(account);
  else if (account.unbannedAt > state.unbannedAt) clearBan(state);
  state.unbannedAt = Math.max(state.unbannedAt, account.unbannedAt);
  if (account.abusedStartedAt > state.abusedStartedAt) {
    state.abusedStartedAt = account.abusedStartedAt;
    state.abusedMinutes = account.abusedMinutes;
  }
  if (account.bannedUntil > state.bannedUntil) {
    state.bans = account.bans;
    state.bannedAt = account.bannedAt;
    state.bannedUntil = account.bannedUntil;
  }
}

function restoreRejections(state: QuotaState, account: QuotaState, now: number): void {
  if (isOver(account.minuteStartedAt, minuteMs, now)) return;
  const rejected = isOver(state.minuteStartedAt, minuteMs, now) ? 0 : state.minuteRejected;
  state.minuteRejected = Math.max(rejected, account.minuteRejected);
}

interface Restoring {
  readonly uncounted: number;
  readonly isNewLoss: boolean;
  readonly now: number;
}

function restoreWindow(state: QuotaState, account: QuotaState, window: Window, restoring: Restoring): void {
  const { startedAt, used, restored } = fieldsOf[window];
  const { uncounted, now } = restoring;
  if (!isOpen(account, window, now)) return;
  if (!isMissing(state, account, window, now)) {
    mergeWindow(state, account, window, restoring);
    return;
  }
  // The stored requests were counted after the loss, so the account lacks them, except those that another node has
  // written back.
  const isStored = isOpen(state, window, now);
  const since = isStored ? state[used] - state[restored] : 0;
  state[startedAt] = account[startedAt];
  state[restored] = Math.max(account[used] - uncounted, isStored ? state[restored] : 0) + uncounted;
  state[used] = state[restored] + since;
}

/** The number of requests before the last loss, and the number since, are each the larger one of the two states. */
function mergeWindow(
  state: QuotaState,
  account: QuotaState,
  window: Window,
  { uncounted, isNewLoss }: Restoring,
): void {
  const { used, restored } = fieldsOf[window];
  const sent = account[used] - uncounted;
  const since = state[used] - state[restored];
  if (isNewLoss || account.losses > state.losses) {
    state[used] = Math.max(state[used], sent);
    state[restored] = isNewLoss ? state[used] : account[restored];
  } else if (account.losses < state.losses) {
    state[restored] = Math.max(state[restored], sent);
    state[used] = state[restored] + since;
  } else {
    const sinceSent = sent - account[restored];
    state[restored] = Math.max(state[restored], account[restored]);
    state[used] = state[restored] + Math.max(since, sinceSent);
  }
  state[used] += uncounted;
}

/** Whether the stored state lacks a window that is open in the account. */
function isMissing(state: QuotaState, account: QuotaState, window: Window, now: number): boolean {
  const { startedAt } = fieldsOf[window];
  if (!isOpen(account, window, now)) return false;
  return !isOpen(state, window, now) || account[startedAt] < state[startedAt];
}

function hasLostWindow(state: QuotaState, before: QuotaState, window: Window, now: number): boolean {
  const { startedAt, used } = fieldsOf[window];
  // A clock that was set back moves the starts of windows.
  if (!isOpen(before, window, now) || now < before[startedAt]) return false;
  if (state[startedAt] === before[startedAt]) return state[used] < before[used];
  return state[startedAt] === 0 || state[startedAt] > before[startedAt];
}

function hasLostBan(state: QuotaState, before: QuotaState, now: number): boolean {
  const isInForce = before.bannedAt <= now && now < before.bannedUntil;
  return isInForce && state.bannedUntil < before.bannedUntil && state.unbannedAt <= before.unbannedAt;
}

function isOpen(state: QuotaState, window: Window, now: number): boolean {
  const { startedAt, used, lengthMs } = fieldsOf[window];
  return state[used] > 0 && !isOver(state[startedAt], lengthMs, now);
}
