import { expect } from 'chai';
import { createBatchLoader } from '#src/database/batch-loader.js';

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
