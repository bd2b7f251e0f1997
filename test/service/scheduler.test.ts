import { expect } from 'chai';
import { storeUnavailable } from '#src/openapi/api-error.js';
import { Scheduler } from '#src/service/scheduler.js';

describe('chores', () => {
  it('are done again and again, also after one has failed, which is reported', async () => {
    const reported: unknown[] = [];
    const scheduledTasks = new Scheduler((error) => void reported.push(error));
    const failure = new Error('not this time');
    let runs = 0;
    await new Promise<void>((resolve) => {
      // The timer of a chore alone would not keep the process alive.
      const alive = setTimeout(resolve, 10_000);
      scheduledTasks.every(1, () => {
        runs += 1;
        if (runs === 1) throw failure;
        clearTimeout(alive);
        resolve();
      });
    });
    await scheduledTasks.stop();
    expect(runs).to.be.greaterThan(1);
    expect(reported).to.deep.equal([failure]);
  });

  it('are not reported when the storage is in trouble, which tells so itself, once', async () => {
    const reported: unknown[] = [];
    const scheduledTasks = new Scheduler((error) => void reported.push(error));
    let runs = 0;
    await new Promise<void>((resolve) => {
      const alive = setTimeout(resolve, 10_000);
      scheduledTasks.every(1, () => {
        runs += 1;
        if (runs < 5) throw storeUnavailable(new Error('full'));
        clearTimeout(alive);
        resolve();
      });
    });
    await scheduledTasks.stop();
    expect(reported).to.deep.equal([]);
  });

  it('are finished before they are stopped', async () => {
    const scheduledTasks = new Scheduler(() => undefined);
    let isDone = false;
    await new Promise<void>((resolve) => {
      const alive = setTimeout(resolve, 10_000);
      scheduledTasks.every(1, async () => {
        clearTimeout(alive);
        resolve();
        await new Promise((later) => setTimeout(later, 20));
        isDone = true;
      });
    });
    await scheduledTasks.stop();
    expect(isDone).to.equal(true);
  });
});
