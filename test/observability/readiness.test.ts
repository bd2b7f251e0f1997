import { expect } from 'chai';
import { Readiness } from '#src/observability/readiness.js';

/** A storage that a test makes fail, or hang. */
class Storage {
  failure: Error | undefined;
  isHanging = false;
  reads = 0;
  readonly told: unknown[] = [];
  readonly readiness = new Readiness(
    () => this.read(),
    (failure) => void this.told.push(failure),
  );
  private onAnswer: (() => void) | undefined;

  answer(): void {
    this.isHanging = false;
    this.onAnswer?.();
  }

  private async read(): Promise<void> {
    this.reads += 1;
    if (this.isHanging) await new Promise<void>((resolve) => (this.onAnswer = resolve));
    if (this.failure !== undefined) throw this.failure;
  }
}

describe('readiness', () => {
  it('is given while the storage can be read and the service is not stopping', async () => {
    const { readiness, told } = new Storage();
    expect(await readiness.check()).to.equal(true);
    readiness.stop();
    expect(await readiness.check()).to.equal(false);
    expect(told).to.deep.equal([]);
  });

  it('ends with the first read that fails and comes back with the first that does not, and each is told once', async () => {
    const storage = new Storage();
    storage.failure = new Error('gone');
    expect([await storage.readiness.check(), await storage.readiness.check()]).to.deep.equal([false, false]);
    expect(storage.told).to.deep.equal([storage.failure]);
    const { failure } = storage;
    storage.failure = undefined;
    expect([await storage.readiness.check(), await storage.readiness.check()]).to.deep.equal([true, true]);
    expect(storage.told).to.deep.equal([failure, undefined]);
  });

  it('is not given by a storage that hangs, which everybody who asks is told within a second, after one read', async () => {
    const storage = new Storage();
    storage.isHanging = true;
    const startedAt = performance.now();
    const answers = await Promise.all([
      storage.readiness.check(),
      storage.readiness.check(),
      storage.readiness.check(),
    ]);
    expect(performance.now() - startedAt).to.be.within(900, 3000);
    expect(answers).to.deep.equal([false, false, false]);
    expect(storage.reads).to.equal(1);
    expect(storage.told).to.have.lengthOf(1);
    expect(storage.told[0]).to.be.instanceOf(Error).with.property('message', 'no response within 1000 ms');
    storage.answer();
    expect(await storage.readiness.check()).to.equal(true);
  });

  it('is not given by a stop that comes while the storage is being read', async () => {
    const { readiness } = new Storage();
    const answer = readiness.check();
    readiness.stop();
    expect(await answer).to.equal(false);
  });
});
