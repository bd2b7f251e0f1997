import type { Clock } from '../lib/clock.js';

/**
 * Who opens the stores. A `server` never waits for locks on its event loop, and is the only one on its data directory;
 * a `command` may wait, and runs beside a server.
 */
export type Role = 'server' | 'command';

export interface StoreOptions {
  readonly clock: Clock;
  /** Receives outages and internal errors. */
  readonly report: (event: unknown) => void;
  /** Returns a function to be called with the number of writes of each transaction; `undefined` without metrics. */
  readonly batchSizeObserver?: (store: 'pets' | 'limits') => ((size: number) => void) | undefined;
  /** Called with the time between a commit of pets and their listing, in seconds. */
  readonly onListed?: (seconds: number) => void;
}
