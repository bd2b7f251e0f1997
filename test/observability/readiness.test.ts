import { expect } from 'chai';
import { Readiness } from '#src/observability/readiness.js';

describe('readiness', () => {
  let readiness: Readiness;
  let read: () => Promise<unknown>;
  let reads: number;
  let changes: unknown[];
  beforeEach(() => {
    [reads, changes] = [0, []];
    read = () => Promise.resolve();
    const counted = () => {
      reads += 1;
      return read();
    };
    readiness = new Readiness(counted, (failure) => void changes.push(failure));
  });

  it('follows the result of each read, and each change is reported once', async () => {
    const failure = new Error('gone');
    const check = async () => [await readiness.check(), await readiness.check()];
    expect(await check()).to.deep.equal([true, true]);
    read = () => Promise.reject(failure);
    expect(await check()).to.deep.equal([false, false]);
    read = () => Promise.resolve();
    expect(await check()).to.deep.equal([true, true]);
    expect(changes).to.deep.equal([failure, undefined]);
  });

  it('is denied within a second while a store hangs, with one read for all checks', async () => {
    let respond: ((value?: unknown) => void) | undefined;
    read = () => new Promise((resolve) => (respond = resolve));
    const startedAt = performance.now();
    const results = await Promise.all([readiness.check(), readiness.check(), readiness.check()]);
    expect(performance.now() - startedAt).to.be.within(900, 3000);
    expect({ results, reads }).to.deep.equal({ results: [false, false, false], reads: 1 });
    expect(changes).to.have.lengthOf(1);
    expect(changes[0]).to.be.instanceOf(Error).with.property('message', 'no response within 1000 ms');
    respond?.();
    read = () => Promise.resolve();
    expect(await readiness.check()).to.equal(true);
  });

  it('is denied once the service stops, also while the stores are read, without a report', async () => {
    const result = readiness.check();
    readiness.stop();
    expect([await result, await readiness.check()]).to.deep.equal([false, false]);
    expect(changes).to.deep.equal([]);
  });
});
