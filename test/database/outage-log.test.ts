import { expect } from 'chai';
import { OutageLog } from '#src/database/outage-log.js';
import { StoreEvent } from '#src/lib/errors.js';

describe('OutageLog', () => {
  const start = Date.parse('2026-11-20T12:00:00Z');
  let now: number;
  let reported: StoreEvent[];
  let log: OutageLog;
  const second = (isWell: boolean) => {
    now += 1000;
    log.endIf(() => isWell);
  };
  beforeEach(() => {
    now = start;
    reported = [];
    log = new OutageLog(
      'petstore.db',
      () => now,
      (notice) => void reported.push(notice),
    );
  });

  it('reports each reason once, and the end once with its reasons and duration', () => {
    for (let request = 0; request < 1000; request += 1) log.record('the disk is full');
    second(false);
    for (let request = 0; request < 1000; request += 1)
      log.record(request % 2 === 0 ? 'the disk is full' : 'it is gone');
    for (const isWell of [false, false, true, true]) second(isWell);
    expect(reported).to.deep.equal([
      new StoreEvent(
        'storage outage',
        'petstore.db has been unavailable since 2026-11-20T12:00:00.000Z: the disk is full.',
      ),
      new StoreEvent('storage outage', 'petstore.db has been unavailable since 2026-11-20T12:00:00.000Z: it is gone.'),
      new StoreEvent(
        'storage recovered',
        'petstore.db is available again. It had been unavailable since 2026-11-20T12:00:00.000Z, for 4 s: the disk ' +
          'is full; it is gone.',
      ),
    ]);
  });

  it('reports at most ten reasons per outage', () => {
    for (let request = 0; request < 1000; request += 1) log.record(`block ${String(request)} is damaged`);
    expect(reported).to.have.length(10);
  });

  it('treats intermittent failures as one outage', () => {
    for (let flap = 0; flap < 10; flap += 1) {
      log.record('the disk is full');
      second(true);
    }
    expect([reported.length, log.isActive]).to.deep.equal([1, true]);
    second(true);
    expect([reported.length, log.isActive]).to.deep.equal([2, false]);
  });

  it('does not check the availability while there is no outage', () => {
    log.endIf(() => expect.fail('It checked the availability.'));
    expect(reported).to.deep.equal([]);
  });

  it('reports every outage', () => {
    for (let spell = 0; spell < 2; spell += 1) {
      log.record('the disk is full');
      second(true);
      second(true);
    }
    expect(reported.map(({ kind }) => kind)).to.deep.equal([
      'storage outage',
      'storage recovered',
      'storage outage',
      'storage recovered',
    ]);
  });
});
