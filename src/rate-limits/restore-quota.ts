import {
  adjustToClock,
  type Decision,
  dayMs,
  decide,
  isOver,
  type Limits,
  minuteMs,
  type QuotaState,
} from './decide.js';
import { clearBan } from './quota-store.js';

/** The state of a quota as a node knows it. The stored state may have been lost. */
export interface KnownQuota {
  readonly state: QuotaState;
  /** The requests in each window of `state` that the node allowed alone and never sent to the store. */
  readonly unsent: { readonly minute: number; readonly day: number };
}

const windows = ['minute', 'day'] as const;
type Window = (typeof windows)[number];

const fieldsOf = {
  minute: { startedAt: 'minuteStartedAt', used: 'minuteUsed', restored: 'minuteRestored', lengthMs: minuteMs },
  day: { startedAt: 'dayStartedAt', used: 'dayUsed', restored: 'dayRestored', lengthMs: dayMs },
} as const;

/**
 * Merges a known state into the stored state, in place. No count decreases, and no ban becomes shorter unless an
 * operator has cleared it. If both have an open window, the merged window has the earlier start, so that no client
 * waits longer than a node's `Retry-After`. Merging the same state again changes nothing, except that it adds
 * `unsent` again.
 */
export function restoreQuota(state: QuotaState, { state: knownState, unsent }: KnownQuota, now: number): void {
  const known = { ...knownState };
  adjustToClock(state, now);
  adjustToClock(known, now);
  restoreBans(state, known);
  restoreRejections(state, known, now);
  const isNewLoss = state.losses <= known.losses && windows.some((window) => isMissing(state, known, window, now));
  for (const window of windows) restoreWindow(state, known, window, { unsent: unsent[window], isNewLoss, now });
  state.losses = Math.max(state.losses, known.losses + Number(isNewLoss));
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
function restoreBans(state: QuotaState, known: QuotaState): void {
  if (known.unbannedAt < state.unbannedAt) clearBan(known);
  else if (known.unbannedAt > state.unbannedAt) clearBan(state);
  state.unbannedAt = Math.max(state.unbannedAt, known.unbannedAt);
  if (known.abusedStartedAt > state.abusedStartedAt) {
    state.abusedStartedAt = known.abusedStartedAt;
    state.abusedMinutes = known.abusedMinutes;
  }
  if (known.bannedUntil > state.bannedUntil) {
    state.bans = known.bans;
    state.bannedAt = known.bannedAt;
    state.bannedUntil = known.bannedUntil;
  }
}

function restoreRejections(state: QuotaState, known: QuotaState, now: number): void {
  if (isOver(known.minuteStartedAt, minuteMs, now)) return;
  const rejected = isOver(state.minuteStartedAt, minuteMs, now) ? 0 : state.minuteRejected;
  state.minuteRejected = Math.max(rejected, known.minuteRejected);
}

interface Restoring {
  readonly unsent: number;
  readonly isNewLoss: boolean;
  readonly now: number;
}

function restoreWindow(state: QuotaState, known: QuotaState, window: Window, restoring: Restoring): void {
  const { startedAt, used, restored } = fieldsOf[window];
  const { unsent, now } = restoring;
  if (!isOpen(known, window, now)) return;
  if (!isMissing(state, known, window, now)) {
    mergeWindow(state, known, window, restoring);
    return;
  }
  // The stored requests were counted after the loss, so the known state lacks them, except those that another node has
  // written back.
  const isStored = isOpen(state, window, now);
  const since = isStored ? state[used] - state[restored] : 0;
  state[startedAt] = known[startedAt];
  state[restored] = Math.max(known[used] - unsent, isStored ? state[restored] : 0) + unsent;
  state[used] = state[restored] + since;
}

/** The number of requests before the last loss, and the number since, are each the larger one of the two states. */
function mergeWindow(state: QuotaState, known: QuotaState, window: Window, { unsent, isNewLoss }: Restoring): void {
  const { used, restored } = fieldsOf[window];
  const sent = known[used] - unsent;
  const since = state[used] - state[restored];
  if (isNewLoss || known.losses > state.losses) {
    state[used] = Math.max(state[used], sent);
    state[restored] = isNewLoss ? state[used] : known[restored];
  } else if (known.losses < state.losses) {
    state[restored] = Math.max(state[restored], sent);
    state[used] = state[restored] + since;
  } else {
    const sinceSent = sent - known[restored];
    state[restored] = Math.max(state[restored], known[restored]);
    state[used] = state[restored] + Math.max(since, sinceSent);
  }
  state[used] += unsent;
}

/** Whether the stored state lacks a window that is open in the known state. */
function isMissing(state: QuotaState, known: QuotaState, window: Window, now: number): boolean {
  const { startedAt } = fieldsOf[window];
  if (!isOpen(known, window, now)) return false;
  return !isOpen(state, window, now) || known[startedAt] < state[startedAt];
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
