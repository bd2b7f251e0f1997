import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { storeUnavailable } from '#src/lib/errors.js';
import { Scheduler } from '#src/service/scheduler.js';

/** Runs a task every millisecond until it has run `times` times. Resolves with what was reported. */
async function runTask(times: number, task: (run: number) => unknown): Promise<unknown[]> {
  const reported: unknown[] = [];
  const scheduler = new Scheduler((error) => void reported.push(error));
  let runs = 0;
  scheduler.every(1, () => task((runs += 1)));
  while (runs < times) await delay(1);
  await scheduler.stop();
  return reported;
}

describe('Scheduler', () => {
  it('repeats a task, also after it has failed, and reports the error unless it is an outage', async () => {
    const failure = new Error('not this time');
    const errors = [failure, storeUnavailable(new Error('full'))];
    const reported = await runTask(4, (run) => {
      const error = errors[run - 1];
      if (error !== undefined) throw error;
    });
    expect(reported).to.deep.equal([failure]);
  });

  it('waits for tasks in progress when it is stopped', async () => {
    let isDone = false;
    await runTask(1, async () => {
      await delay(20);
      isDone = true;
    });
    expect(isDone).to.equal(true);
  });
});
