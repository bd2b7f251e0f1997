import { createRequire } from 'node:module';
import type DataLoader from 'dataloader';

/** Returns a function that loads a value by its key. One call of `loadAll` loads the keys of an event-loop tick. */
export function createBatchLoader<Key, Value>(
  loadAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
  options?: { readonly maxBatchSize: number },
): (key: Key) => Promise<Value> {
  // Loaded only for the first loader, because loading it delays the start of a node with SQLite.
  const Loader = createRequire(import.meta.url)('dataloader') as typeof DataLoader;
  const loader = new Loader(loadAll, { ...options, cache: false, batchScheduleFn: setImmediate });
  return (key) => loader.load(key);
}
