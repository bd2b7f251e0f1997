import type { RateLimitJournal } from './memory-store.js';

/** For counters that need not outlive the process. */
export const noJournal: RateLimitJournal = {
  readAll: () => new Map(),
  write: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  pendingUnbans: () => [],
  completeUnbans: () => Promise.resolve(),
};
