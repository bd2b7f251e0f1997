import type { PlanLimits } from '@contract-server/core/contract/document.js';
import {
  createQuota,
  free,
  mostWithoutBan,
  reasonsOf,
  repeat,
  rule,
  start,
} from '@contract-server/test-support/rate-limits/quota.js';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Decision,
  dayMs,
  decide,
  isIdle,
  minuteMs,
  newQuotaState,
  reportedWindow,
} from '#src/rate-limits/decide.js';

const small = { requestsPerMinute: 3, requestsPerDay: 5 };
const banMs = rule.seconds * 1000;

describe('the windows of a minute and a day', () => {
  it('allow exactly their limits, count no rejected request, and start again with the first request after their end', () => {
    const { at, request } = createQuota(small);
    for (const [now, reasons] of [
      [start, ['allowed', 'allowed', 'allowed', 'minute', 'minute']],
      [start + minuteMs - 1, ['minute']],
      [start + minuteMs, ['allowed', 'allowed', 'day', 'day']],
      [start + dayMs - 1, ['day']],
      [start + dayMs, ['allowed', 'allowed', 'allowed', 'minute']],
    ] as const) {
      at.now = now;
      expect(reasonsOf(repeat(reasons.length, request)), String(now - start)).to.deep.equal(reasons);
    }
  });

  it('report the one with the fewest requests remaining, and in a tie the one that resets later', () => {
    const endOfDay = start - dayMs + 1000;
    for (const [minuteUsed, dayUsed, minuteAge, name, remaining] of [
      [0, 0, 0, 'minute', 2],
      [0, 3, 0, 'day', 1],
      [1, 3, 0, 'minute', 1],
      [1, 3, minuteMs - 1000, 'day', 1],
      [1, 3, minuteMs - 500, 'day', 1],
      [3, 5, 0, 'minute', 0],
      [3, 5, minuteMs - 500, 'day', 0],
    ] as const) {
      const windows = { minuteStartedAt: start - minuteAge, minuteUsed, dayStartedAt: endOfDay, dayUsed };
      const state = { ...newQuotaState, ...windows };
      expect(reportedWindow(decide(state, small, rule, start))).to.include({ name, remaining });
    }
  });

  it('apply a changed plan immediately, and never show a negative number', () => {
    const { state, request } = createQuota({ requestsPerMinute: 10, requestsPerDay: 100 });
    repeat(8, request);
    const { rejectedBy, minute, day } = decide(state, small, rule, start);
    expect([rejectedBy, minute.remaining, day?.remaining]).to.deep.equal(['day', 0, 0]);
  });

  it('agree with a model over any sequence of requests and waits, and allow a request right after the reset', () => {
    const waits = fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 4, arbitrary: fc.integer({ min: 1, max: minuteMs }) },
      { weight: 1, arbitrary: fc.integer({ min: minuteMs, max: dayMs }) },
    );
    const [minute, day] = [fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 20 })];
    const limits = fc.record({ requestsPerMinute: minute, requestsPerDay: day });
    fc.assert(
      fc.property(limits, fc.array(waits, { maxLength: 120 }), (someLimits, someWaits) => {
        const { at, state, request } = createQuota(someLimits);
        const isAllowed = createModel(someLimits);
        for (const wait of someWaits) {
          at.now += wait;
          const decision = request();
          if (decision.rejectedBy === 'ban') return;
          expect(decision.rejectedBy === undefined).to.equal(isAllowed(at.now));
          const { remaining, resetAt } = reportedWindow(decision);
          expect(remaining).to.be.at.least(0);
          expect(resetAt).to.be.greaterThan(at.now);
          if (decision.rejectedBy !== undefined)
            expect(decide({ ...state }, someLimits, rule, resetAt).rejectedBy).to.equal(undefined);
        }
      }),
      { numRuns: 300 },
    );
  });

  /** The two windows, from the times of the allowed requests. */
  function createModel({ requestsPerMinute, requestsPerDay }: PlanLimits): (now: number) => boolean {
    let minute = { startedAt: -Infinity, allowed: 0 };
    let day = { startedAt: -Infinity, allowed: 0 };
    return (now) => {
      if (now >= minute.startedAt + minuteMs) minute = { startedAt: now, allowed: 0 };
      if (now >= day.startedAt + dayMs) day = { startedAt: now, allowed: 0 };
      if (minute.allowed >= requestsPerMinute || day.allowed >= requestsPerDay) return false;
      if (day.allowed === 0) day.startedAt = now;
      minute.allowed += 1;
      day.allowed += 1;
      return true;
    };
  }
});

describe('a ban', () => {
  it('begins with the rejection that exceeds ten times the minute limit within one minute, and lasts 15 minutes', () => {
    const { state, at, request } = createQuota(free);
    expect(reasonsOf(repeat(mostWithoutBan(free), request))).not.to.include('ban');
    const decision = request();
    expect(decision).to.include({ rejectedBy: 'ban', beginsBan: true, bannedUntil: start + 900_000 });
    const before = { ...state };
    expect(reportedWindow(decision)).to.include({ name: 'minute', remaining: 0, resetAt: start + 900_000 });
    for (const { rejectedBy, beginsBan } of repeat(1000, request))
      expect([rejectedBy, beginsBan]).to.deep.equal(['ban', false]);
    expect(state, 'requests during a ban count towards nothing').to.deep.equal(before);
    at.now = start + banMs - 1;
    expect(request().rejectedBy).to.equal('ban');
    at.now = start + banMs;
    expect(request()).to.include({ rejectedBy: undefined, bannedUntil: undefined });
  });

  it('does not follow rejections that are spread over several minutes', () => {
    const { at, request } = createQuota({ ...free, requestsPerDay: 1_000_000 });
    for (let minute = 0; minute < 30; minute += 1) {
      at.now = start + minute * minuteMs;
      expect(reasonsOf(repeat(mostWithoutBan(free), request))).not.to.include('ban');
    }
  });

  it('also begins while the day is exhausted, whose end is reported if it is later', () => {
    const { at, request } = createQuota({ requestsPerMinute: 5, requestsPerDay: 5 });
    repeat(5, request);
    at.now = start + 10 * minuteMs;
    const decisions = repeat(5 * rule.rejectedRequestsFactor + 1, request);
    expect(reasonsOf(decisions.slice(-2))).to.deep.equal(['day', 'ban']);
    const last = decisions.at(-1) as Decision;
    expect(reportedWindow(last)).to.include({ name: 'day', remaining: 0, resetAt: start + dayMs });
  });

  it('never affects 400 workers on one key that honour Retry-After, but does if one of them does not', () => {
    const fleet = (impatient: number) => {
      const { at, request } = createQuota({ ...free, requestsPerDay: 100_000 });
      const workers = repeat(400, () => ({ wakesAt: start }));
      for (let second = 0; second < 3600; second += 1) {
        at.now = start + second * 1000;
        for (const [index, worker] of workers.entries()) {
          for (let tries = index < impatient ? 20 : 1; tries > 0 && worker.wakesAt <= at.now; tries -= 1) {
            const decision = request();
            if (decision.rejectedBy === 'ban') return true;
            if (index < impatient) continue;
            const waitMs = decision.rejectedBy === undefined ? 1000 : reportedWindow(decision).resetAt - at.now;
            worker.wakesAt = at.now + Math.ceil(waitMs / 1000) * 1000;
          }
        }
      }
      return false;
    };
    expect([fleet(0), fleet(1)]).to.deep.equal([false, true]);
  });
});

describe('a clock that is set', () => {
  it('forward starts both windows again, and allows no more requests when it is set right', () => {
    const { at, request } = createQuota(small);
    repeat(6, request);
    at.now = start + 400 * dayMs;
    const decisions = repeat(4, request);
    expect(reasonsOf(decisions)).to.deep.equal(['allowed', 'allowed', 'allowed', 'minute']);
    expect(decisions[0]?.day).to.include({ remaining: small.requestsPerDay - 1, resetAt: at.now + dayMs });
    at.now = start;
    expect(request()).to.deep.include({ rejectedBy: 'minute', decidedAt: start });
    at.now = start + minuteMs;
    expect(reasonsOf(repeat(3, request))).to.deep.equal(['allowed', 'allowed', 'day']);
  });

  it('back allows no more requests, and makes no client wait longer than a window or a ban', () => {
    const { at, request } = createQuota(small);
    repeat(4, request);
    at.now = start - 60 * minuteMs;
    const decision = request();
    expect(decision.rejectedBy).to.equal('minute');
    expect(reportedWindow(decision).resetAt).to.equal(at.now + minuteMs);
    repeat(100, request);
    at.now -= minuteMs;
    expect(request()).to.include({ rejectedBy: 'ban', bannedUntil: at.now + banMs });
  });
});

describe('isIdle', () => {
  it('is true only when both windows and the ban are over', () => {
    for (const [field, end] of [
      ['minuteStartedAt', start + minuteMs],
      ['dayStartedAt', start + dayMs],
      ['bannedUntil', start],
    ] as const) {
      const state = { ...newQuotaState, [field]: start };
      expect(
        [end - 1, end].map((now) => isIdle(state, now)),
        field,
      ).to.deep.equal([false, true]);
    }
  });
});
