import DataLoader from 'dataloader';

/** Returns a function that loads a value by its key. One call of `loadAll` loads the keys of an event-loop tick. */
export function createBatchLoader<Key, Value>(
  loadAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
  options?: { readonly maxBatchSize: number },
): (key: Key) => Promise<Value> {
  const loader = new DataLoader(loadAll, { ...options, cache: false, batchScheduleFn: setImmediate });
  return (key) => loader.load(key);
}
