import type { Clock } from '../lib/clock.js';

/** What stores are opened for: a `server` answers soon in any case, a `command` may wait, and works beside it. */
export type Role = 'server' | 'command';

/** Who is told about the storage, and about trouble of it. */
export interface StoreOptions {
  readonly clock: Clock;
  readonly report: (told: unknown) => void;
  /** Told how many creations have shared a transaction. */
  readonly onGroup?: ((size: number) => void) | undefined;
}
