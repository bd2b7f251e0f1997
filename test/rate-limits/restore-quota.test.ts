import { expect } from 'chai';
import fc from 'fast-check';
import { dayMs, decide, minuteMs, newQuotaState, peek, type QuotaState, usageAt } from '#src/rate-limits/decide.js';
import { decideAgain, hasLost, restoreQuota } from '#src/rate-limits/restore-quota.js';
import { rules, start } from '../support/rate-limits/quota.js';
import { manyStates, pairsOfStates } from '../support/rate-limits/quota-states.js';

const nothing = { minute: 0, day: 0 };
const limits = { requestsPerMinute: 10, requestsPerDay: 100 };

function restored(stored: QuotaState, known: QuotaState, unsent = nothing): QuotaState {
  const state = { ...stored };
  restoreQuota(state, { state: known, unsent }, start);
  return state;
}

const openMinute = (startedAt: number, used: number): QuotaState => ({
  ...newQuotaState(),
  ...{ minuteStartedAt: startedAt, minuteUsed: used, dayStartedAt: startedAt, dayUsed: used },
});

describe('restoreQuota', () => {
  it('decreases neither a stored nor a known count, and lets no window end later', () => {
    fc.assert(
      fc.property(pairsOfStates, ({ stored, known }) => {
        const state = restored(stored, known);
        for (const one of [stored, known]) {
          const [before, after] = [usageAt(one, rules, start), usageAt(state, rules, start)];
          expect(after.minuteUsed).to.be.at.least(before.minuteUsed);
          expect(after.dayUsed).to.be.at.least(before.dayUsed);
          const [earlier, later] = [peek(one, limits, start), peek(state, limits, start)];
          if (before.dayUsed > 0) expect(later.windows[1]?.resetAt).to.be.at.most(earlier.windows[1]?.resetAt ?? 0);
        }
      }),
    );
  });

  it('shortens no ban unless an operator has cleared it', () => {
    fc.assert(
      fc.property(pairsOfStates, ({ stored, known }) => {
        const { bannedUntil, unbannedAt } = usageWithMark(restored(stored, known));
        const last = Math.max(stored.unbannedAt, known.unbannedAt);
        const standing = [stored, known].filter((state) => state.unbannedAt === last).map(usageWithMark);
        expect(bannedUntil).to.equal(Math.max(...standing.map((usage) => usage.bannedUntil)));
        expect(unbannedAt).to.equal(last);
      }),
    );
  });

  it('changes nothing if the same state is merged again', () => {
    fc.assert(
      fc.property(pairsOfStates, ({ stored, known }) => {
        const once = restored(stored, known);
        expect(restored(once, known)).to.deep.equal(once);
      }),
    );
  });

  it('merges the states of several nodes and the requests since the loss in any order', () => {
    const [lost, since] = [openMinute(start - 1000, 30), openMinute(start - 10, 4)];
    const known = [lost, openMinute(start - 1000, 28), openMinute(start - 1000, 29)];
    for (const order of [known, known.toReversed()]) {
      const state = order.reduce((stored, one) => restored(stored, one), since);
      expect(state).to.include({ minuteStartedAt: start - 1000, minuteUsed: 34, dayUsed: 34 });
    }
  });

  it('keeps every request across losses, if each node writes back in between', () => {
    const nodes = fc.integer({ min: 0, max: 2 });
    const step = fc.oneof(
      { weight: 9, arbitrary: nodes },
      { weight: 1, arbitrary: fc.shuffledSubarray([0, 1, 2], { minLength: 3 }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const known: QuotaState[] = [];
        let [state, allowed, now] = [newQuotaState(), 0, start];
        for (const one of steps) {
          now += 1;
          if (typeof one === 'number') {
            decide(state, { requestsPerMinute: 1000 }, undefined, now);
            known[one] = { ...state };
            allowed += 1;
            continue;
          }
          state = newQuotaState();
          for (const index of one) {
            const account = known[index];
            if (account !== undefined) restoreQuota(state, { state: account, unsent: nothing }, now);
            // Requests arrive before the other nodes have written back.
            decide(state, { requestsPerMinute: 1000 }, undefined, now);
            known[index] = { ...state };
            allowed += 1;
          }
        }
        expect(state).to.include({ minuteUsed: allowed, dayUsed: allowed });
      }),
      { numRuns: 1000 },
    );
  });

  it('adds the requests that each node has allowed alone, in windows of the store and its own', () => {
    const own = (startedAt: number, reported: number, count: number) =>
      [openMinute(startedAt, reported + count), { minute: count, day: count }] as const;
    const minute = start - 1000;
    for (const stored of [newQuotaState(), openMinute(minute, 30)]) {
      const accounts = [own(minute, 30, 5), own(minute, 30, 7), own(minute, 30, 1)];
      const state = accounts.reduce((before, [known, counts]) => restored(before, known, counts), stored);
      expect(state).to.include({ minuteUsed: 43, dayUsed: 43 });
    }
    const alone = [own(minute, 0, 5), own(minute + 1, 0, 7), own(minute - 1, 0, 1)];
    const state = alone.reduce((before, [known, counts]) => restored(before, known, counts), newQuotaState());
    expect(state).to.include({ minuteStartedAt: minute - 1, minuteUsed: 13, dayUsed: 13 });
  });

  it('takes the later abused minute, the longer ban, and the rejections of an open minute', () => {
    const [earlier, later] = [start - 5 * minuteMs, start - minuteMs];
    const one = { ...openMinute(start - 1000, 2), minuteRejected: 7, abusedStartedAt: later, abusedMinutes: 2 };
    const other = { ...openMinute(start - 10, 2), minuteRejected: 1, abusedStartedAt: earlier, abusedMinutes: 1 };
    for (const state of [restored(one, other), restored(other, one)])
      expect(state).to.include({ minuteRejected: 7, abusedStartedAt: later, abusedMinutes: 2 });
    expect(restored(one, { ...other, abusedStartedAt: later })).to.include({ abusedMinutes: 2 });
    expect(restored({ ...one, minuteStartedAt: start - minuteMs }, other)).to.include({ minuteRejected: 1 });
    expect(restored(other, { ...one, minuteStartedAt: start - minuteMs })).to.include({ minuteRejected: 1 });
    const [third, first] = [3, 1].map((bans) => ({
      ...newQuotaState(),
      bans,
      bannedAt: start,
      bannedUntil: start + 1,
    }));
    expect(restored(third ?? one, first ?? one)).to.include({ bans: 3 });
  });

  it('counts requests before and after a loss once, whichever state has seen more losses', () => {
    const day = (dayUsed: number, dayRestored: number, losses: number): QuotaState => ({
      ...newQuotaState(),
      ...{ dayStartedAt: start - 1000, dayUsed, dayRestored, losses },
    });
    for (const [stored, known, expected] of [
      [day(25, 0, 0), day(30, 20, 1), day(30, 20, 1)],
      [day(25, 20, 1), day(30, 10, 1), day(40, 20, 1)],
      [day(20, 15, 1), day(30, 0, 0), day(35, 30, 1)],
    ] as const)
      expect(restored(stored, known)).to.deep.equal(expected);
    // A window that only the known state has is no further loss if the stored state has seen more losses.
    const minute = { minuteStartedAt: start - 1000, minuteUsed: 1 };
    expect(restored(day(20, 15, 2), { ...day(30, 0, 1), ...minute })).to.include({ dayUsed: 35, losses: 2 });
  });

  it('ignores a known window that has ended or is empty', () => {
    const stored = openMinute(start - 10, 2);
    expect(restored(stored, openMinute(start - 1000, 0))).to.deep.equal(stored);
    const state = restored(openMinute(start - 10, 2), {
      ...openMinute(start - minuteMs, 9),
      dayStartedAt: start - dayMs,
    });
    expect(state).to.deep.equal(openMinute(start - 10, 2));
  });
});

describe('hasLost', () => {
  it('is false for a later state', () => {
    fc.assert(fc.property(manyStates, (state) => !hasLost(state, state, start)));
    const before = openMinute(start - 1000, 5);
    expect(hasLost({ ...before, minuteUsed: 6, dayUsed: 6 }, before, start)).to.equal(false);
    expect(hasLost({ ...newQuotaState(), dayStartedAt: start - 1000, dayUsed: 5 }, before, start + minuteMs)).to.equal(
      false,
    );
  });

  it('is true for a state that lacks a window, requests, or a ban that was not cleared', () => {
    const before = { ...openMinute(start - 1000, 5), bannedAt: start - 1, bannedUntil: start + 1 };
    const lacking: Partial<QuotaState>[] = [
      { minuteUsed: 4 },
      { dayUsed: 4 },
      { minuteStartedAt: start, minuteUsed: 9 },
      { bannedUntil: 0 },
    ];
    for (const lack of lacking) expect(hasLost({ ...before, ...lack }, before, start)).to.equal(true);
    expect(hasLost(newQuotaState(), before, start)).to.equal(true);
    expect(hasLost({ ...before, bannedUntil: 0, unbannedAt: start }, before, start)).to.equal(false);
  });
});

describe('hasLost, by the times of the two states', () => {
  const before = openMinute(start - 1000, 5);
  const banned = (bannedAt: number, bannedUntil: number) => ({ ...newQuotaState(), bannedAt, bannedUntil });
  for (const [what, state, earlier, isLost] of [
    ['a window that has begun earlier', openMinute(start - 2000, 1), before, false],
    ['no window', newQuotaState(), before, true],
    ['no window that begins at that instant', newQuotaState(), openMinute(start, 5), true],
    ['no window that begins later, after the clock was set back', newQuotaState(), openMinute(start + 1, 5), false],
    ['no ban that begins at that instant', newQuotaState(), banned(start, start + 1), true],
    ['no ban that begins later, after the clock was set back', newQuotaState(), banned(start + 1, start + 2), false],
    ['no ban that ends at that instant', newQuotaState(), banned(start - 1, start), false],
  ] as const) {
    it(`is ${String(isLost)} for a state with ${what}`, () => {
      expect(hasLost(state, earlier, start)).to.equal(isLost);
    });
  }
});

describe('decideAgain', () => {
  it('counts the requests of a window that was not lost once', () => {
    const state = { ...openMinute(start - 10, 9), minuteRestored: 6, dayRestored: 6 };
    const { reportedWindow } = decideAgain(openMinute(start - 10, 4), state, limits, start);
    expect(reportedWindow).to.include({ remaining: 6, resetAt: start - 10 + minuteMs });
  });

  it('allows those of the requests counted on a lost state that are within the limit', () => {
    const all = restored(openMinute(start - 10, 9), openMinute(start - 1000, 6));
    const results = [1, 2, 3, 4, 5, 9].map((position) => {
      const { rejectedBy, reportedWindow } = decideAgain(openMinute(start - 10, position), all, limits, start);
      return rejectedBy ?? reportedWindow.remaining;
    });
    expect(results).to.deep.equal([3, 2, 1, 0, 'minute', 'minute']);
  });

  it('allows a request if only an earlier window was lost', () => {
    const day = { ...openMinute(start - 2 * minuteMs, 7), minuteUsed: 0, minuteStartedAt: 0 };
    const { rejectedBy, windows } = decideAgain(
      openMinute(start, 1),
      restored(openMinute(start, 1), day),
      limits,
      start,
    );
    expect([rejectedBy, ...windows.map(({ remaining }) => remaining)]).to.deep.equal([undefined, 9, 92]);
  });
});

function usageWithMark(state: QuotaState): { bannedUntil: number; unbannedAt: number } {
  return { bannedUntil: usageAt(state, rules, start).bannedUntil, unbannedAt: state.unbannedAt };
}
