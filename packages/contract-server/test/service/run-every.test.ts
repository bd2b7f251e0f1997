import { setTimeout as delay } from 'node:timers/promises';
import { storeUnavailable } from '@contract-server/core/lib/errors.js';
import { expect } from 'chai';
import { runEvery } from '#src/service/run-every.js';

describe('runEvery', () => {
  it('repeats a task, also after it has failed, and reports the error unless it is an outage', async () => {
    const failure = new Error('not this time');
    const errors = [failure, storeUnavailable(new Error('full'))];
    const reported: unknown[] = [];
    let runs = 0;
    const run = () => {
      const error = errors[runs];
      runs += 1;
      if (error !== undefined) throw error;
    };
    const stop = runEvery(1, run, (error) => void reported.push(error));
    while (runs < 4) await delay(1);
    await stop();
    expect(reported).to.deep.equal([failure]);
  });

  it('waits for the run in progress when it is stopped', async () => {
    let runs = 0;
    const run = async () => {
      await delay(20);
      runs += 1;
    };
    const stop = runEvery(1, run, (error) => expect.fail(String(error)));
    await delay(5);
    await stop();
    expect(runs).to.equal(1);
  });
});
