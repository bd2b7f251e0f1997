import { expect } from 'chai';
import { type Decision, dayMs, isIdle, minuteMs, newQuotaState, usageAt } from '#src/rate-limits/decide.js';
import { createQuota, decisionsOf, free, rules, start } from '../support/rate-limits/quota.js';

/**
 * One client that never waits: twenty requests a second until it is banned, or an hour is over. Returns how long it
 * took.
 */
function banByLoop(at: { now: number }, request: () => Decision): number {
  const begun = at.now;
  for (; at.now < begun + 60 * minuteMs; at.now += 50) if (request().rejectedBy === 'ban') return at.now - begun;
  return Infinity;
}

describe('bans', () => {
  it('begin with the rejection that makes the third consecutive minute abused, and not before', () => {
    const { state, at, request } = createQuota(free);
    const untilAbuse = free.requestsPerMinute + rules.abusedMinuteFactor * free.requestsPerMinute + 1;
    for (const minute of [0, 1]) {
      at.now = start + minute * minuteMs;
      expect(decisionsOf(request, untilAbuse + 500)).not.to.include('ban');
    }
    at.now = start + 2 * minuteMs;
    expect(decisionsOf(request, untilAbuse - 1)).not.to.include('ban');
    expect(request()).to.deep.include({ rejectedBy: 'ban', beginsBan: true });
    expect(request()).to.have.property('rejectedBy', 'ban');
    expect(request()).not.to.have.property('beginsBan');
    expect(state.bannedUntil).to.equal(at.now + rules.firstBanSeconds * 1000);
  });

  it('ban a client that retries without back-off in its third minute', () => {
    const { at, request } = createQuota(free);
    expect(banByLoop(at, request)).to.equal(
      2 * minuteMs + 50 * (free.requestsPerMinute * (rules.abusedMinuteFactor + 1)),
    );
  });

  it('do not follow a burst of 500 requests, nor abused minutes that are not consecutive', () => {
    const { state, at, request } = createQuota(free);
    expect(decisionsOf(request, 500)).not.to.include('ban');
    for (let minute = 2; minute < 60; minute += 2) {
      at.now = start + minute * minuteMs;
      expect(decisionsOf(request, 2000)).not.to.include('ban');
    }
    expect(state.bans).to.equal(0);
  });

  it('also count abused minutes while the day is used up', () => {
    const limits = { requestsPerMinute: 5, requestsPerDay: 5 };
    const { state, at, request } = createQuota(limits);
    decisionsOf(request, 5);
    for (const minute of [10, 11]) {
      at.now = start + minute * minuteMs;
      expect(decisionsOf(request, 200)).not.to.include('ban');
    }
    at.now = start + 12 * minuteMs;
    expect(decisionsOf(request, 200)).to.include('ban');
    expect(request().reportedWindow).to.include({ name: 'minute', resetAt: state.bannedUntil });
  });

  it('double if they follow within a day, up to a day, and start again after that', () => {
    const { state, at, request } = createQuota({ ...free, requestsPerDay: 1_000_000 });
    const lengths: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      banByLoop(at, request);
      lengths.push((state.bannedUntil - state.bannedAt) / 1000);
      at.now = state.bannedUntil;
    }
    expect(lengths).to.deep.equal([900, 1800, 3600, 7200, 14400, 28800, 57600, 86400, 86400]);
    at.now = state.bannedUntil + rules.rememberedSeconds * 1000;
    banByLoop(at, request);
    expect((state.bannedUntil - state.bannedAt) / 1000).to.equal(rules.firstBanSeconds);
  });

  it('show no remaining requests and count none until they end', () => {
    const { state, at, request } = createQuota(free);
    banByLoop(at, request);
    const before = { ...state };
    const { reportedWindow, windows } = request();
    expect(reportedWindow).to.deep.include({ remaining: 0, resetAt: state.bannedUntil });
    expect(windows[0]).to.deep.equal(reportedWindow);
    decisionsOf(request, 5000);
    expect(state).to.deep.equal(before);
    at.now = state.bannedUntil;
    expect(request().windows[0]).to.include({ remaining: free.requestsPerMinute - 1, resetAt: at.now + minuteMs });
  });

  it('never affect 400 workers on one key that honour Retry-After, but do if one of them does not', () => {
    const fleet = (impatient: number) => {
      const { at, state, request } = createQuota({ ...free, requestsPerDay: 100_000 });
      const workers = Array.from({ length: 400 }, (_, index) => ({
        wakesAt: start + index,
        isImpatient: index < impatient,
      }));
      for (let second = 0; second < 3600; second += 1) {
        at.now = start + second * 1000;
        for (const worker of workers) {
          for (let tries = worker.isImpatient ? 20 : 1; tries > 0 && worker.wakesAt <= at.now; tries -= 1) {
            const { rejectedBy, reportedWindow } = request();
            const waitMs =
              rejectedBy === undefined ? 1000 : Math.max(1, Math.ceil((reportedWindow.resetAt - at.now) / 1000)) * 1000;
            if (!worker.isImpatient) worker.wakesAt = at.now + waitMs;
          }
        }
      }
      return state.bans;
    };
    expect(fleet(0)).to.equal(0);
    expect(fleet(1)).to.be.greaterThan(0);
  });

  it('set back during a ban does not prolong the ban', () => {
    const { state, at, request } = createQuota(free);
    banByLoop(at, request);
    const left = state.bannedUntil - at.now;
    at.now -= 60 * minuteMs;
    expect(request().reportedWindow.resetAt - at.now).to.equal(left);
  });
});

describe('isIdle', () => {
  it('is true only if deleting the state changes no later decision', () => {
    const { state, at, request } = createQuota(free);
    banByLoop(at, request);
    const forgettableAt = Math.max(state.dayStartedAt + dayMs, state.bannedUntil + rules.rememberedSeconds * 1000);
    expect(isIdle(state, rules, forgettableAt - 1)).to.equal(false);
    expect(isIdle(state, rules, forgettableAt)).to.equal(true);
  });

  it('is false for two minutes after a request, and until no node can have a ban from before an unban', () => {
    const { longestBanSeconds, rememberedSeconds } = rules;
    for (const [field, lengthMs] of [
      ['minuteStartedAt', 2 * minuteMs],
      ['unbannedAt', (longestBanSeconds + rememberedSeconds) * 1000],
    ] as const) {
      const state = { ...newQuotaState(), [field]: start };
      expect(isIdle(state, rules, start + lengthMs - 1), field).to.equal(false);
      expect(isIdle(state, rules, start + lengthMs), field).to.equal(true);
    }
  });
});

describe('usageAt', () => {
  it('shows abused minutes and bans as long as they affect a decision', () => {
    const bannedUntil = start + 1000;
    const state = {
      ...newQuotaState(),
      abusedMinutes: 2,
      abusedStartedAt: start,
      bans: 1,
      bannedAt: start,
      bannedUntil,
    };
    const at = (now: number) => usageAt(state, rules, now);
    expect([at(start + 2 * minuteMs - 1).abusedMinutes, at(start + 2 * minuteMs).abusedMinutes]).to.deep.equal([2, 0]);
    expect([at(bannedUntil - 1).bannedUntil, at(bannedUntil).bannedUntil]).to.deep.equal([bannedUntil, 0]);
    const forgottenAt = bannedUntil + rules.rememberedSeconds * 1000;
    expect([at(forgottenAt - 1).bans, at(forgottenAt).bans]).to.deep.equal([1, 0]);
  });
});
