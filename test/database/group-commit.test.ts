import { expect } from 'chai';
import { BatchWindow } from '#src/database/batch-window.js';
import { GroupCommit } from '#src/database/group-commit.js';
import { DatabaseLockedError, lockTimeoutMs } from '#src/database/lock-retry.js';
import { storeUnavailable } from '#src/lib/errors.js';

/** A disk that writes on command, and records the items of each transaction. */
class ManualDisk {
  readonly groups: (readonly number[])[] = [];
  private readonly pending: { resolve: (results: string[]) => void; reject: (error: unknown) => void }[] = [];

  readonly write = (items: readonly number[]): Promise<readonly string[]> => {
    this.groups.push(items);
    return new Promise((resolve, reject) => this.pending.push({ resolve, reject }));
  };

  finish(): void {
    this.pending.shift()?.resolve((this.groups.at(-1) ?? []).map((item) => `row ${String(item)}`));
  }

  fail(error: unknown): void {
    this.pending.shift()?.reject(error);
  }
}

/** Resolves when every batch that can begin has begun. */
function laterTurns(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));
}

describe('GroupCommit', () => {
  let disk: ManualDisk;
  let commits: GroupCommit<number, string>;
  beforeEach(() => {
    disk = new ManualDisk();
    commits = new GroupCommit(disk.write, { batchWindow: new BatchWindow() });
  });

  it('writes what arrives in one tick in one transaction, and returns each its own result', async () => {
    const results = Promise.all([1, 2, 3].map((item) => commits.add(item)));
    await laterTurns();
    expect(disk.groups).to.deep.equal([[1, 2, 3]]);
    disk.finish();
    expect(await results).to.deep.equal(['row 1', 'row 2', 'row 3']);
  });

  it('waits one more tick for other writes under concurrency, and not for a single write', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const alone = commits.add(1);
    await turn();
    const late = commits.add(2);
    await turn();
    expect(disk.groups).to.deep.equal([[1]]);
    disk.finish();
    await laterTurns();
    disk.finish();
    await Promise.all([alone, late]);

    const results = [commits.add(3), commits.add(4)];
    await turn();
    results.push(commits.add(5));
    await turn();
    expect(disk.groups.at(-1)).to.deep.equal([3, 4, 5]);
    disk.finish();
    expect(await Promise.all(results)).to.deep.equal(['row 3', 'row 4', 'row 5']);
  });

  it('writes what arrives while a batch is being written as the next batch', async () => {
    const results = [commits.add(1)];
    await laterTurns();
    results.push(commits.add(2), commits.add(3));
    await laterTurns();
    expect(disk.groups).to.deep.equal([[1]]);
    disk.finish();
    await laterTurns();
    expect(disk.groups).to.deep.equal([[1], [2, 3]]);
    disk.finish();
    expect(await Promise.all(results)).to.deep.equal(['row 1', 'row 2', 'row 3']);
  });

  it('settles no write before it is durable', async () => {
    let isSettled = false;
    const result = commits.add(1).then(() => (isSettled = true));
    await laterTurns();
    expect(isSettled).to.equal(false);
    disk.finish();
    await result;
    expect(isSettled).to.equal(true);
  });

  it('writes each item alone if its batch fails, so that an invalid item does not fail the others', async () => {
    const results = Promise.allSettled([1, 2, 3].map((item) => commits.add(item)));
    await laterTurns();
    disk.fail(new Error('bad batch'));
    for (const error of [undefined, new Error('bad item'), undefined]) {
      await laterTurns();
      if (error === undefined) disk.finish();
      else disk.fail(error);
    }
    expect((await results).map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(disk.groups).to.deep.equal([[1, 2, 3], [1], [2], [3]]);
  });

  it('rejects the whole batch without retries if the database is unavailable', async () => {
    const results = Promise.allSettled([1, 2, 3].map((item) => commits.add(item)));
    await laterTurns();
    const apiError = storeUnavailable(new Error('locked'));
    disk.fail(apiError);
    expect((await results).map((result) => 'reason' in result && (result.reason as unknown))).to.deep.equal([
      apiError,
      apiError,
      apiError,
    ]);
    expect(disk.groups).to.deep.equal([[1, 2, 3]]);
  });

  describe('while the database is locked', () => {
    const apiError = storeUnavailable(new Error('locked'));
    let isLocked: boolean;
    let tries: (readonly number[])[];
    beforeEach(() => {
      isLocked = true;
      tries = [];
      commits = new GroupCommit(
        (items) => {
          tries.push(items);
          if (isLocked) throw new DatabaseLockedError(() => apiError);
          return items.map((item) => `row ${String(item)}`);
        },
        { batchWindow: new BatchWindow() },
      );
    });

    it('writes waiting and new items together once the lock is released', async () => {
      const results = [commits.add(1)];
      while (tries.length < 3) await laterTurns();
      results.push(commits.add(2));
      while (tries.length < 6) await laterTurns();
      isLocked = false;
      expect(await Promise.all(results)).to.deep.equal(['row 1', 'row 2']);
      expect(tries.at(-1)).to.deep.equal([1, 2]);
    });

    it('rejects each item after its own timeout, and none before', async () => {
      const waits = Array.from({ length: 20 }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, 50 * index));
        const startedAt = performance.now();
        expect(await commits.add(index).catch((error: unknown) => error)).to.equal(apiError);
        return performance.now() - startedAt;
      });
      for (const wait of await Promise.all(waits)) expect(wait).to.be.within(lockTimeoutMs, 1.5 * lockTimeoutMs);
    });

    it('still fails an invalid item alone', async () => {
      commits = new GroupCommit(
        (items) => {
          tries.push(items);
          if (tries.length % 2 === 0) throw new DatabaseLockedError(() => apiError);
          if (items.includes(2)) throw new Error('bad item');
          return items.map((item) => `row ${String(item)}`);
        },
        { batchWindow: new BatchWindow() },
      );
      const results = await Promise.allSettled([1, 2, 3].map((item) => commits.add(item)));
      expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    });
  });

  it('continues after a failure', async () => {
    const failed = commits.add(1).catch((error: unknown) => error);
    await laterTurns();
    disk.fail(new Error('bad item'));
    expect(await failed).to.be.an('error');
    const result = commits.add(2);
    await laterTurns();
    disk.finish();
    expect(await result).to.equal('row 2');
  });

  it('is idle when every write has settled, and immediately if nothing was added', async () => {
    await commits.idle();
    const settled: string[] = [];
    void commits.add(1).then((result) => settled.push(result));
    await laterTurns();
    void commits.add(2).then((result) => settled.push(result));
    const idle = commits.idle();
    disk.finish();
    await laterTurns();
    disk.finish();
    await idle;
    expect(settled).to.deep.equal(['row 1', 'row 2']);
  });
});
