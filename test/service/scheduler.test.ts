import { expect } from 'chai';
import { storeUnavailable } from '#src/lib/errors.js';
import { Scheduler } from '#src/service/scheduler.js';

describe('Scheduler', () => {
  it('repeats a task, also after it has failed, and reports the error', async () => {
    const reported: unknown[] = [];
    const scheduler = new Scheduler((error) => void reported.push(error));
    const failure = new Error('not this time');
    let runs = 0;
    await new Promise<void>((resolve) => {
      // The timers of the scheduler do not keep the process alive.
      const alive = setTimeout(resolve, 10_000);
      scheduler.every(1, () => {
        runs += 1;
        if (runs === 1) throw failure;
        clearTimeout(alive);
        resolve();
      });
    });
    await scheduler.stop();
    expect(runs).to.be.greaterThan(1);
    expect(reported).to.deep.equal([failure]);
  });

  it('does not report an outage, which the stores report themselves', async () => {
    const reported: unknown[] = [];
    const scheduler = new Scheduler((error) => void reported.push(error));
    let runs = 0;
    await new Promise<void>((resolve) => {
      const alive = setTimeout(resolve, 10_000);
      scheduler.every(1, () => {
        runs += 1;
        if (runs < 5) throw storeUnavailable(new Error('full'));
        clearTimeout(alive);
        resolve();
      });
    });
    await scheduler.stop();
    expect(reported).to.deep.equal([]);
  });

  it('waits for tasks in progress when it is stopped', async () => {
    const scheduler = new Scheduler(() => undefined);
    let isDone = false;
    await new Promise<void>((resolve) => {
      const alive = setTimeout(resolve, 10_000);
      scheduler.every(1, async () => {
        clearTimeout(alive);
        resolve();
        await new Promise((later) => setTimeout(later, 20));
        isDone = true;
      });
    });
    await scheduler.stop();
    expect(isDone).to.equal(true);
  });
});
