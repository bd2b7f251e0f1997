import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createBatchLoader } from '#src/database/batch-loader.js';
import { GroupCommit } from '#src/database/group-commit.js';

describe('createBatchLoader', () => {
  let calls: (readonly string[])[];
  const loadAll = (keys: readonly string[]) => {
    calls.push(keys);
    return keys.includes('bad') ? Promise.reject(new Error('bad')) : Promise.resolve(keys.map((key) => `${key}!`));
  };
  beforeEach(() => (calls = []));

  it('loads the keys of an event-loop tick with one call, and caches nothing', async () => {
    const load = createBatchLoader(loadAll);
    expect(await Promise.all(['a', 'b', 'a'].map(load))).to.deep.equal(['a!', 'b!', 'a!']);
    expect(await load('a')).to.equal('a!');
    expect(calls).to.deep.equal([['a', 'b', 'a'], ['a']]);
  });

  it('rejects only the keys of a call that fails', async () => {
    const load = createBatchLoader(loadAll);
    const results = await Promise.allSettled(['a', 'bad'].map(load));
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(await load('c')).to.equal('c!');
  });

  it('passes at most maxBatchSize keys to a call', async () => {
    await Promise.all(['a', 'b', 'c'].map(createBatchLoader(loadAll, { maxBatchSize: 2 })));
    expect(calls).to.deep.equal([['a', 'b'], ['c']]);
  });
});

describe('GroupCommit', () => {
  /** The items of each transaction, and what ends those that have begun. */
  let groups: (readonly number[])[];
  let pending: (() => void)[];
  let commits: GroupCommit<number, string>;
  beforeEach(() => {
    groups = [];
    pending = [];
    commits = new GroupCommit((items) => {
      groups.push(items);
      return new Promise((resolve) => pending.push(() => resolve(items.map((item) => `row ${String(item)}`))));
    });
  });
  const addAll = (...items: number[]) => items.map((item) => commits.add(item));

  /** Resolves when every transaction that can begin has begun. */
  async function laterTicks(): Promise<void> {
    for (let tick = 0; tick < 3; tick += 1) await setImmediate();
  }

  /** Ends the transaction that has begun, once it has begun. */
  async function end(): Promise<void> {
    await laterTicks();
    pending.shift()?.();
  }

  it('writes what arrives in one tick in one transaction, and what arrives meanwhile in the next', async () => {
    const results = addAll(1);
    await setImmediate();
    results.push(...addAll(2));
    for (let count = 0; count < 2; count += 1) await end();
    results.push(...addAll(3, 4));
    // Under concurrency, a transaction waits one more tick for other writes.
    await setImmediate();
    results.push(...addAll(5));
    await laterTicks();
    results.push(...addAll(6, 7));
    for (let count = 0; count < 2; count += 1) await end();
    expect(await Promise.all(results)).to.deep.equal([1, 2, 3, 4, 5, 6, 7].map((item) => `row ${String(item)}`));
    expect(groups.map(String)).to.deep.equal(['1', '2', '3,4,5', '6,7']);
  });

  it('settles no write before it is durable, and is idle when all have settled', async () => {
    await commits.idle();
    const settled: string[] = [];
    for (const result of addAll(1, 2)) void result.then((row) => settled.push(row));
    const idle = commits.idle();
    await laterTicks();
    expect(settled).to.deep.equal([]);
    await end();
    await idle;
    expect(settled).to.deep.equal(['row 1', 'row 2']);
  });
});
