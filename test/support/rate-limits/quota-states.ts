import fc from 'fast-check';
import { dayMs, minuteMs, type QuotaState } from '#src/rate-limits/decide.js';
import { start } from './quota.js';

/** Ages of events in milliseconds. */
const ages = fc.oneof(
  fc.constantFrom(0, 1, minuteMs - 1, minuteMs, 2 * minuteMs, dayMs - 1, dayMs, -1, -minuteMs),
  fc.integer({ min: 0, max: 2 * minuteMs }),
);
const instants = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 5, arbitrary: ages.map((ms) => start - ms) },
);
const fewRequests = fc.integer({ min: 0, max: 9 });

/** States with times around the start of tests. */
export const manyStates: fc.Arbitrary<QuotaState> = fc
  .record({
    minuteStartedAt: instants,
    minuteUsed: fewRequests,
    minuteRejected: fewRequests,
    dayStartedAt: instants,
    dayUsed: fewRequests,
    losses: fc.integer({ min: 0, max: 2 }),
    minuteRestored: fewRequests,
    dayRestored: fewRequests,
    abusedMinutes: fc.integer({ min: 0, max: 2 }),
    abusedStartedAt: instants,
    bans: fc.integer({ min: 0, max: 3 }),
    bannedAt: instants,
    bannedUntil: instants,
    unbannedAt: fc.constantFrom(0, 0, start - 1000, start - 2000),
  })
  .map((state) => ({
    ...state,
    minuteRestored: Math.min(state.minuteRestored, state.minuteUsed),
    dayRestored: Math.min(state.dayRestored, state.dayUsed),
  }));

/** Two states of one quota, most of which have a window in common. */
export const pairsOfStates = fc
  .record({ stored: manyStates, known: manyStates, isSame: fc.record({ minute: fc.boolean(), day: fc.boolean() }) })
  .map(({ stored, known, isSame }) => ({
    stored,
    known: {
      ...known,
      ...(isSame.minute && { minuteStartedAt: stored.minuteStartedAt }),
      ...(isSame.day && { dayStartedAt: stored.dayStartedAt }),
    },
  }));
