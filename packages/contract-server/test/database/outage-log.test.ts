import { StoreEvent } from '@contract-server/core/lib/errors.js';
import { expect } from 'chai';
import { OutageLog } from '#src/database/outage-log.js';

describe('OutageLog', () => {
  let now: number;
  let reported: StoreEvent[];
  let log: OutageLog;
  const fail = (reason: string) => log.recordFailure(reason, undefined);
  const second = (hasSucceeded: boolean) => {
    now += 1000;
    if (hasSucceeded) log.recordSuccess();
    log.check();
  };
  beforeEach(() => {
    now = Date.parse('2026-11-20T12:00:00Z');
    reported = [];
    log = new OutageLog(
      'toys.db',
      () => now,
      (event) => void reported.push(event),
    );
  });

  it('reports each reason once, and the end of every outage once with its reasons and duration', () => {
    const since = 'toys.db has been unavailable since 2026-11-20T12:00';
    const until = 'toys.db is available again. It had been unavailable since 2026-11-20T12:00';
    for (let request = 0; request < 1000; request += 1) fail('the disk is full');
    second(false);
    for (let request = 0; request < 1000; request += 1) fail(request % 2 === 0 ? 'the disk is full' : 'it is gone');
    for (const isAvailable of [false, false, true, true]) second(isAvailable);
    fail('the disk is full');
    for (const isAvailable of [true, true]) second(isAvailable);
    expect(reported).to.deep.equal([
      new StoreEvent('storage outage', `${since}:00.000Z: the disk is full.`),
      new StoreEvent('storage outage', `${since}:00.000Z: it is gone.`),
      new StoreEvent('storage recovered', `${until}:00.000Z, for 4 s: the disk is full; it is gone.`),
      new StoreEvent('storage outage', `${since}:05.000Z: the disk is full.`),
      new StoreEvent('storage recovered', `${until}:05.000Z, for 2 s: the disk is full.`),
    ]);
  });

  it('treats intermittent failures as one outage with at most ten reasons', () => {
    for (let failure = 0; failure < 20; failure += 1) {
      fail(`block ${String(failure)} is damaged`);
      second(true);
    }
    expect([reported.length, log.isActive]).to.deep.equal([10, true]);
    second(true);
    expect([reported.length, log.isActive]).to.deep.equal([11, false]);
  });
});
