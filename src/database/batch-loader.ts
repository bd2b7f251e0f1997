import DataLoader from 'dataloader';

/**
 * Returns a function that loads a value by its key. One call of `loadAll` loads the keys of an event-loop tick. A key
 * that is alone is loaded at once: a key waits for others of its tick only while a call is running, or after a call
 * with several keys.
 */
export function createBatchLoader<Key, Value>(
  loadAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
  options?: { readonly maxBatchSize: number },
): (key: Key) => Promise<Value> {
  let runningCalls = 0;
  let isConcurrent = false;
  const loadBatch = async (keys: readonly Key[]) => {
    runningCalls += 1;
    isConcurrent = keys.length > 1;
    try {
      return await loadAll(keys);
    } finally {
      runningCalls -= 1;
    }
  };
  const loader = new DataLoader(loadBatch, { ...options, cache: false, batchScheduleFn: setImmediate });
  return async (key) => {
    if (isConcurrent || runningCalls > 0) return loader.load(key);
    const [value] = await loadBatch([key]);
    return value as Value;
  };
}
