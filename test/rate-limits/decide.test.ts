import { expect } from 'chai';
import fc from 'fast-check';
import {
  adjustToClock,
  type Decision,
  dayMs,
  decide,
  type Limits,
  minuteMs,
  newQuotaState,
  peek,
  type QuotaState,
} from '#src/rate-limits/decide.js';
import { createQuota, decisionsOf, rules, start } from '../support/rate-limits/quota.js';

const small = { requestsPerMinute: 3, requestsPerDay: 5 };

describe('the windows of a minute and a day', () => {
  it('allow exactly the limit per minute, and start again with the first request after it', () => {
    const { at, request } = createQuota({ requestsPerMinute: 3, requestsPerDay: 100 });
    expect(decisionsOf(request, 5)).to.deep.equal(['allowed', 'allowed', 'allowed', 'minute', 'minute']);
    at.now = start + minuteMs - 1;
    expect(request().rejectedBy).to.equal('minute');
    at.now = start + minuteMs;
    expect(decisionsOf(request, 4)).to.deep.equal(['allowed', 'allowed', 'allowed', 'minute']);
  });

  it('count no rejected request: the remaining requests of the day do not change', () => {
    const { at, request } = createQuota(small);
    expect(decisionsOf(request, 10).filter((result) => result === 'allowed')).to.have.length(3);
    at.now = start + minuteMs;
    expect(decisionsOf(request, 10)).to.deep.equal(['allowed', 'allowed', ...Array<string>(8).fill('day')]);
    at.now = start + dayMs - 1;
    expect(request().rejectedBy).to.equal('day');
    at.now = start + dayMs;
    expect(request().rejectedBy).to.equal(undefined);
  });

  it('show the window with the fewest remaining requests, or the later reset if equal, or the exceeded one', () => {
    const { at, request } = createQuota(small);
    expect(request().reportedWindow).to.deep.include({ name: 'minute', remaining: 2, resetAt: start + minuteMs });
    at.now = start + minuteMs;
    request();
    at.now = start + 2 * minuteMs;
    expect(request().reportedWindow, 'two left in both').to.deep.include({
      name: 'day',
      remaining: 2,
      resetAt: start + dayMs,
    });
    request();
    request();
    expect(request(), 'both are spent').to.deep.include({ rejectedBy: 'day' });
  });

  it('show the window that resets later if both have the same number of remaining requests', () => {
    for (const [minuteAge, name] of [
      [0, 'minute'],
      [minuteMs - 1000, 'day'],
      [minuteMs - 500, 'day'],
    ] as const) {
      // The day ends in a second.
      const dayStartedAt = start - dayMs + 1000;
      const open = { ...newQuotaState(), minuteStartedAt: start - minuteAge, dayStartedAt };
      const spent = { ...open, minuteUsed: 3, dayUsed: 5 };
      expect(decide(spent, small, rules, start), 'both are spent').to.deep.include({ rejectedBy: name });
      const left = { ...open, minuteUsed: 1, dayUsed: 3 };
      expect(decide(left, small, rules, start).reportedWindow).to.include({ name, remaining: 1 });
      const dayLeft = { ...open, minuteUsed: 0, dayUsed: 3 };
      expect(decide(dayLeft, small, rules, start).reportedWindow).to.include({ name: 'day', remaining: 1 });
    }
  });

  it('apply a changed plan immediately, and never show a negative number', () => {
    const { state, at, request } = createQuota({ requestsPerMinute: 10, requestsPerDay: 100 });
    decisionsOf(request, 8);
    const decision = decide(state, small, rules, at.now);
    expect(decision.rejectedBy).to.equal('day');
    expect(decision.windows.map(({ remaining }) => remaining)).to.deep.equal([0, 0]);
  });

  it('are shown by peek without counting a request', () => {
    const { state, at, request } = createQuota(small);
    request();
    const seen = peek(state, small, at.now);
    expect(seen.windows.map(({ remaining }) => remaining)).to.deep.equal([2, 4]);
    expect(peek(state, small, at.now)).to.deep.equal(seen);
  });

  /** A reference model of the two windows: lists of the allowed requests. */
  function model(limits: { requestsPerMinute: number; requestsPerDay: number }) {
    let minute = { startedAt: -Infinity, allowed: 0 };
    let day = { startedAt: -Infinity, allowed: 0 };
    return (now: number): boolean => {
      if (now >= minute.startedAt + minuteMs) minute = { startedAt: now, allowed: 0 };
      if (now >= day.startedAt + dayMs) day = { startedAt: now, allowed: 0 };
      if (minute.allowed >= limits.requestsPerMinute || day.allowed >= limits.requestsPerDay) return false;
      if (day.allowed === 0) day.startedAt = now;
      minute.allowed += 1;
      day.allowed += 1;
      return true;
    };
  }

  it('agree with the model over any sequence of requests, restarts and waits', () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(0) },
        { weight: 4, arbitrary: fc.integer({ min: 1, max: minuteMs }) },
        { weight: 1, arbitrary: fc.integer({ min: minuteMs, max: dayMs }) },
      ),
      { maxLength: 120 },
    );
    const limits = fc.record({
      requestsPerMinute: fc.integer({ min: 1, max: 6 }),
      requestsPerDay: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(limits, steps, fc.boolean(), (someLimits, waits, restarts) => {
        const expected = model(someLimits);
        let state: QuotaState = newQuotaState();
        let now = start;
        for (const wait of waits) {
          now += wait;
          if (restarts) state = JSON.parse(JSON.stringify(state)) as QuotaState;
          const decision = decide(state, someLimits, undefined, now);
          expect(decision.rejectedBy === undefined).to.equal(expected(now));
          assertHonest(decision, now);
          if (decision.rejectedBy !== undefined) assertAdmittedAfter(state, someLimits, decision);
        }
      }),
      { numRuns: 300 },
    );
  });

  function assertHonest({ windows, reportedWindow }: Decision, now: number): void {
    for (const { limit, remaining, resetAt } of windows) {
      expect(remaining).to.be.within(0, limit);
      expect(resetAt).to.be.greaterThan(now);
    }
    expect(windows).to.deep.include(reportedWindow);
  }

  function assertAdmittedAfter(state: QuotaState, limits: Limits, { reportedWindow }: Decision): void {
    expect(
      decide({ ...state }, limits, undefined, reportedWindow.resetAt).rejectedBy,
      'right after the reset that was announced',
    ).to.equal(undefined);
  }
});

describe('a clock that is set', () => {
  it('back allows no more requests, and makes no client wait longer than a window', () => {
    const { at, request } = createQuota(small);
    decisionsOf(request, 4);
    at.now = start - 60 * minuteMs;
    const { rejectedBy, reportedWindow } = request();
    expect(rejectedBy).to.equal('minute');
    expect(reportedWindow.resetAt).to.equal(at.now + minuteMs);
    at.now += minuteMs;
    expect(decisionsOf(request, 3)).to.deep.equal(['allowed', 'allowed', 'day']);
  });

  it('back moves the start of each window and of the last abused minute', () => {
    const [day, minute, abused] = [start + 30 * minuteMs, start + 40 * minuteMs, start + 39 * minuteMs];
    const state = { ...newQuotaState(), dayStartedAt: day, minuteStartedAt: minute, abusedStartedAt: abused };
    adjustToClock(state, start);
    expect(state).to.include({ dayStartedAt: start, minuteStartedAt: start, abusedStartedAt: start - minuteMs });
  });

  it('either way by an hour allows at most one more window, and causes no ban', () => {
    const limits = { requestsPerMinute: 2, requestsPerDay: 1000 };
    /** Often enough that most are rejected, but not often enough for an abused minute. */
    const pauseMs = 3500;
    const jump = fc.record({ before: fc.nat(400), byMs: fc.constantFrom(60 * minuteMs, -60 * minuteMs) });
    fc.assert(
      fc.property(fc.array(jump, { maxLength: 2 }), (jumps) => {
        const { state, at, request } = createQuota(limits);
        let allowed = 0;
        for (let sent = 0; sent <= 400; sent += 1) {
          at.now += pauseMs + jumps.reduce((sum, { before, byMs }) => sum + (before === sent ? byMs : 0), 0);
          const decision = request();
          if (decision.rejectedBy === undefined) allowed += 1;
          for (const { remaining } of decision.windows) expect(remaining).to.be.at.least(0);
        }
        const windows = Math.ceil((401 * pauseMs) / minuteMs) + jumps.length;
        expect(allowed).to.be.at.most(windows * limits.requestsPerMinute);
        expect(state.bans).to.equal(0);
      }),
    );
  });
});
