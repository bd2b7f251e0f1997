import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { storeUnavailable } from '#src/lib/errors.js';
import { openAll, ResourceStack } from '#src/service/resource-stack.js';
import { errorOf } from '../support/error-of.js';

/** Runs a task every millisecond until it has run `times` times, and closes the stack. Resolves with the reports. */
async function runTask(times: number, task: (run: number) => unknown): Promise<unknown[]> {
  const reported: unknown[] = [];
  const opened = new ResourceStack((error) => void reported.push(error));
  let runs = 0;
  opened.addTasks(1000, [{ intervalMs: 1, run: () => task((runs += 1)) }]);
  while (runs < times) await delay(1);
  await opened.close();
  return reported;
}

describe('ResourceStack', () => {
  it('closes what was opened last first, and each after the one before has closed', async () => {
    const closed: string[] = [];
    const close = async (name: string) => {
      await new Promise(setImmediate);
      closed.push(name);
    };
    const opened = new ResourceStack(() => undefined);
    opened.add({ close: () => close('first') });
    opened.addStep('second', 1000, () => close('second'));
    await opened.close();
    await opened.close();
    expect(closed).to.deep.equal(['second', 'first']);
  });

  it('runs the remaining steps after one has failed or timed out, and throws every error', async () => {
    let isClosed = false;
    const opened = new ResourceStack(() => undefined);
    opened.add({ close: () => (isClosed = true) });
    opened.addStep('hanging', 10, () => new Promise(() => undefined));
    opened.add({
      close: () => {
        throw new Error('threw');
      },
    });
    opened.addStep('failing', 1000, () => Promise.reject(new Error('failed')));
    const error = await errorOf(opened.close());
    expect(error).to.be.instanceOf(AggregateError);
    expect((error as AggregateError).errors.map(({ message }: Error) => message)).to.deep.equal([
      'failed',
      'threw',
      'hanging took longer than 10 ms.',
    ]);
    expect(isClosed).to.equal(true);
  });

  it('repeats a task, also after it has failed, and reports the error unless it is an outage', async () => {
    const failure = new Error('not this time');
    const errors = [failure, storeUnavailable(new Error('full'))];
    const reported = await runTask(4, (run) => {
      const error = errors[run - 1];
      if (error !== undefined) throw error;
    });
    expect(reported).to.deep.equal([failure]);
  });

  it('waits for tasks in progress when it is closed', async () => {
    let isDone = false;
    await runTask(1, async () => {
      await delay(20);
      isDone = true;
    });
    expect(isDone).to.equal(true);
  });
});

describe('openAll', () => {
  it('throws the original error if closing fails too, and reports that', async () => {
    const reported: unknown[] = [];
    const closing = new Error('cannot be closed');
    const original = new Error('cannot be opened');
    const opening = openAll(
      (error) => reported.push(error),
      (opened) => {
        opened.add({ close: () => Promise.reject(closing) });
        return Promise.reject(original);
      },
    );
    expect(await errorOf(opening)).to.equal(original);
    expect(reported).to.deep.equal([closing]);
  });
});
