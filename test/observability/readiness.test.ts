import { expect } from 'chai';
import { Readiness } from '#src/observability/readiness.js';

/** A store that can fail or hang. */
class Storage {
  failure: Error | undefined;
  isHanging = false;
  reads = 0;
  readonly changes: unknown[] = [];
  readonly readiness = new Readiness(
    () => this.read(),
    (failure) => void this.changes.push(failure),
  );
  private onResponse: (() => void) | undefined;

  response(): void {
    this.isHanging = false;
    this.onResponse?.();
  }

  private async read(): Promise<void> {
    this.reads += 1;
    if (this.isHanging) await new Promise<void>((resolve) => (this.onResponse = resolve));
    if (this.failure !== undefined) throw this.failure;
  }
}

describe('readiness', () => {
  it('is reported while the stores can be read and the service is not stopping', async () => {
    const { readiness, changes } = new Storage();
    expect(await readiness.check()).to.equal(true);
    readiness.stop();
    expect(await readiness.check()).to.equal(false);
    expect(changes).to.deep.equal([]);
  });

  it('follows the result of each read, and each change is reported once', async () => {
    const storage = new Storage();
    storage.failure = new Error('gone');
    expect([await storage.readiness.check(), await storage.readiness.check()]).to.deep.equal([false, false]);
    expect(storage.changes).to.deep.equal([storage.failure]);
    const { failure } = storage;
    storage.failure = undefined;
    expect([await storage.readiness.check(), await storage.readiness.check()]).to.deep.equal([true, true]);
    expect(storage.changes).to.deep.equal([failure, undefined]);
  });

  it('is denied within a second while a store hangs, with one read for all checks', async () => {
    const storage = new Storage();
    storage.isHanging = true;
    const startedAt = performance.now();
    const responses = await Promise.all([
      storage.readiness.check(),
      storage.readiness.check(),
      storage.readiness.check(),
    ]);
    expect(performance.now() - startedAt).to.be.within(900, 3000);
    expect(responses).to.deep.equal([false, false, false]);
    expect(storage.reads).to.equal(1);
    expect(storage.changes).to.have.lengthOf(1);
    expect(storage.changes[0]).to.be.instanceOf(Error).with.property('message', 'no response within 1000 ms');
    storage.response();
    expect(await storage.readiness.check()).to.equal(true);
  });

  it('is denied if the service stops while the stores are read', async () => {
    const { readiness } = new Storage();
    const response = readiness.check();
    readiness.stop();
    expect(await response).to.equal(false);
  });
});
