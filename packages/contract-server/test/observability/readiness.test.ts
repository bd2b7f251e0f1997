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
    for (const [result, isReady] of [
      [() => Promise.resolve(), true],
      [() => Promise.reject(failure), false],
      [() => Promise.resolve(), true],
    ] as const) {
      read = result;
      expect([await readiness.check(), await readiness.check()]).to.deep.equal([isReady, isReady]);
    }
    expect(changes).to.deep.equal([failure, undefined]);
  });

  it('is denied within a second while a store hangs, with one read for all checks', async () => {
    let respond: (() => void) | undefined;
    read = () => new Promise<void>((resolve) => (respond = resolve));
    const startedAt = performance.now();
    const results = await Promise.all([readiness.check(), readiness.check(), readiness.check()]);
    expect(performance.now() - startedAt).to.be.within(900, 3000);
    expect({ results, reads }).to.deep.equal({ results: [false, false, false], reads: 1 });
    expect(String(changes)).to.equal('TimeoutError: no response within 1000 ms');
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
