import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { storeUnavailable } from '#src/lib/errors.js';
import { runEvery } from '#src/service/run-every.js';

describe('runEvery', () => {
  /** Runs a task every millisecond until it has run `times` times, and stops it. Resolves with what was reported. */
  async function runTask(times: number, task: (run: number) => unknown): Promise<unknown[]> {
    const reported: unknown[] = [];
    let runs = 0;
    const stop = runEvery(
      1,
      () => task((runs += 1)),
      (error) => void reported.push(error),
    );
    while (runs < times) await delay(1);
    await stop();
    return reported;
  }

  it('repeats a task, also after it has failed, and reports the error unless it is an outage', async () => {
    const failure = new Error('not this time');
    const errors = [failure, storeUnavailable(new Error('full'))];
    const reported = await runTask(4, (run) => {
      const error = errors[run - 1];
      if (error !== undefined) throw error;
    });
    expect(reported).to.deep.equal([failure]);
  });

  it('waits for the run in progress when it is stopped', async () => {
    let isDone = false;
    await runTask(1, async () => {
      await delay(20);
      isDone = true;
    });
    expect(isDone).to.equal(true);
  });

  it('runs a task a last time when it is stopped, after the run in progress', async () => {
    let runs = 0;
    const run = async () => {
      await delay(20);
      runs += 1;
    };
    const stop = runEvery(1, run, (error) => expect.fail(String(error)), { runsLast: true });
    await delay(5);
    await stop();
    expect(runs).to.equal(2);
  });
});
