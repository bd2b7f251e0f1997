import { expect } from 'chai';
import { shutDown } from '#src/service/graceful-shutdown.js';

describe('shutDown', () => {
  it('runs each step after the one before it has completed', async () => {
    const done: string[] = [];
    const step = (name: string) => ({
      name,
      timeoutMs: 1000,
      run: async () => {
        await new Promise(setImmediate);
        done.push(name);
      },
    });
    await shutDown([step('first'), step('second')]);
    expect(done).to.deep.equal(['first', 'second']);
  });

  it('runs the remaining steps after one has failed or timed out, and reports every error', async () => {
    let isClosed = false;
    const stopping = shutDown([
      { name: 'failing', timeoutMs: 1000, run: () => Promise.reject(new Error('failed')) },
      {
        name: 'throwing',
        timeoutMs: 1000,
        run: () => {
          throw new Error('threw');
        },
      },
      { name: 'hanging', timeoutMs: 10, run: () => new Promise(() => undefined) },
      { name: 'last', timeoutMs: 1000, run: () => (isClosed = true) },
    ]);
    const error = await stopping.catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(AggregateError);
    expect((error as AggregateError).errors.map(({ message }: Error) => message)).to.deep.equal([
      'failed',
      'threw',
      'hanging took longer than 10 ms.',
    ]);
    expect(isClosed).to.equal(true);
  });
});
