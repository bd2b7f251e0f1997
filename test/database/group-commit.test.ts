import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GroupCommit } from '#src/database/group-commit.js';
import { storeUnavailable } from '#src/lib/errors.js';

/** A disk that writes on command, and records the items of each transaction. */
class ManualDisk {
  readonly groups: (readonly number[])[] = [];
  private readonly pending: { resolve: (results: string[]) => void; reject: (error: unknown) => void }[] = [];

  readonly write = (items: readonly number[]): Promise<readonly string[]> => {
    this.groups.push(items);
    return new Promise((resolve, reject) => this.pending.push({ resolve, reject }));
  };

  /** Ends the transaction that has begun, once it has begun. */
  async end(error?: unknown): Promise<void> {
    await laterTicks();
    const transaction = this.pending.shift();
    if (error === undefined) transaction?.resolve((this.groups.at(-1) ?? []).map((item) => `row ${String(item)}`));
    else transaction?.reject(error);
  }
}

/** Resolves when every batch that can begin has begun. */
async function laterTicks(): Promise<void> {
  for (let tick = 0; tick < 3; tick += 1) await setImmediate();
}

describe('GroupCommit', () => {
  let disk: ManualDisk;
  let commits: GroupCommit<number, string>;
  beforeEach(() => {
    disk = new ManualDisk();
    commits = new GroupCommit(disk.write);
  });
  const addAll = (items: readonly number[]) => items.map((item) => commits.add(item));

  it('writes what arrives in one tick in one transaction, and what arrives meanwhile in the next', async () => {
    const results = addAll([1, 2, 3]);
    await laterTicks();
    results.push(...addAll([4, 5]));
    await disk.end();
    await disk.end();
    expect(await Promise.all(results)).to.deep.equal(['row 1', 'row 2', 'row 3', 'row 4', 'row 5']);
    expect(disk.groups).to.deep.equal([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('waits one more tick for other writes under concurrency, and not for a single write', async () => {
    const results = [commits.add(1)];
    await setImmediate();
    results.push(commits.add(2));
    await disk.end();
    await disk.end();
    results.push(...addAll([3, 4]));
    await setImmediate();
    results.push(commits.add(5));
    await disk.end();
    await Promise.all(results);
    expect(disk.groups).to.deep.equal([[1], [2], [3, 4, 5]]);
  });

  it('settles no write before it is durable, and is idle when all have settled', async () => {
    await commits.idle();
    const settled: string[] = [];
    for (const result of addAll([1, 2])) void result.then((row) => settled.push(row));
    const idle = commits.idle();
    await laterTicks();
    expect(settled).to.deep.equal([]);
    await disk.end();
    await idle;
    expect(settled).to.deep.equal(['row 1', 'row 2']);
  });

  it('writes each item alone if its batch fails, so that an invalid item does not fail the others', async () => {
    const results = Promise.allSettled(addAll([1, 2, 3]));
    for (const error of [new Error('bad batch'), undefined, new Error('bad item'), undefined]) await disk.end(error);
    expect((await results).map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(disk.groups).to.deep.equal([[1, 2, 3], [1], [2], [3]]);
  });

  it('rejects the whole batch without retries if the database is unavailable, and continues', async () => {
    const error = storeUnavailable(new Error('locked'));
    const results = Promise.allSettled(addAll([1, 2, 3]));
    await disk.end(error);
    const rejected = { status: 'rejected', reason: error };
    expect(await results).to.deep.equal([rejected, rejected, rejected]);
    const next = commits.add(4);
    await disk.end();
    expect(await next).to.equal('row 4');
    expect(disk.groups).to.deep.equal([[1, 2, 3], [4]]);
  });
});
