import { expect } from 'chai';
import { createBatchLoader } from '#src/database/batch-loader.js';

/** A loader of upper-case letters, and the keys of its calls, which end when `finish` is called. */
function createLoader(options?: { maxBatchSize: number }) {
  const calls: { keys: readonly string[]; finish: (error?: Error) => void }[] = [];
  const load = createBatchLoader<string, string>((keys) => {
    const call = new Promise<void>((resolve, reject) => {
      calls.push({ keys, finish: (error) => (error === undefined ? resolve() : reject(error)) });
    });
    return call.then(() => keys.map((key) => key.toUpperCase()));
  }, options);
  return { load, calls, keysOfCalls: () => calls.map(({ keys }) => keys) };
}

const endOfTick = () => new Promise((resolve) => setImmediate(resolve));

/** A loader whose first two calls have ended, the last of which had two keys. */
async function createBusyLoader() {
  const loader = createLoader();
  const loaded = [loader.load('a'), loader.load('b'), loader.load('c')];
  await endOfTick();
  for (const { finish } of loader.calls) finish();
  await Promise.all(loaded);
  return loader;
}

describe('Batch loader', () => {
  it('loads a key that is alone at once', async () => {
    const { load, calls, keysOfCalls } = createLoader();
    const loaded = load('a');
    expect(keysOfCalls()).to.deep.equal([['a']]);
    calls[0]?.finish();
    expect(await loaded).to.equal('A');
  });

  it('loads the keys that arrive while a call is running with one further call', async () => {
    const { load, calls, keysOfCalls } = createLoader();
    const loaded = [load('a'), load('b'), load('c')];
    await endOfTick();
    expect(keysOfCalls()).to.deep.equal([['a'], ['b', 'c']]);
    for (const { finish } of calls) finish();
    expect(await Promise.all(loaded)).to.deep.equal(['A', 'B', 'C']);
  });

  it('loads all keys of the tick after a call with several keys with one call', async () => {
    const { load, calls, keysOfCalls } = await createBusyLoader();
    const second = [load('d'), load('e')];
    await endOfTick();
    expect(keysOfCalls().slice(2)).to.deep.equal([['d', 'e']]);
    calls[2]?.finish();
    expect(await Promise.all(second)).to.deep.equal(['D', 'E']);
  });

  it('loads a key at once again after a call with one key', async () => {
    const { load, calls, keysOfCalls } = await createBusyLoader();
    const alone = load('d');
    await endOfTick();
    calls[2]?.finish();
    await alone;
    void load('e');
    expect(keysOfCalls().slice(2)).to.deep.equal([['d'], ['e']]);
  });

  it('rejects only the keys of a call that fails, and loads the next key', async () => {
    const { load, calls, keysOfCalls } = createLoader();
    const failed = load('a').catch((error: unknown) => error);
    const others = [load('b'), load('c')];
    await endOfTick();
    const error = new Error('No connection.');
    calls[0]?.finish(error);
    calls[1]?.finish();
    expect(await failed).to.equal(error);
    expect(await Promise.all(others)).to.deep.equal(['B', 'C']);
    void load('d');
    await endOfTick();
    expect(keysOfCalls().at(-1)).to.deep.equal(['d']);
  });

  it('passes at most maxBatchSize keys to a call', async () => {
    const { load, keysOfCalls } = createLoader({ maxBatchSize: 2 });
    for (const key of 'abcdef') void load(key);
    await endOfTick();
    expect(keysOfCalls()).to.deep.equal([['a'], ['b', 'c'], ['d', 'e'], ['f']]);
  });
});
