import type { Clock } from '../../domain/clock.js';
import { readMigrations } from '../migrations.js';
import { TroubleLog } from '../trouble-log.js';
import { fileNames } from './file-names.js';
import { SqliteKeyStore } from './key-store.js';
import { SqliteLimitJournal } from './limit-journal.js';
import { SqlitePetArchive } from './pet-archive.js';
import { SqlitePetStore } from './pet-store.js';
import { ServerLock } from './server-lock.js';
import { StoreDatabase } from './store-database.js';

/** A `server` is the only one on its data directory; a `command` may work beside it. */
export type Role = 'server' | 'command';

/** Who is told about the storage, and about trouble of it. */
export interface Watch {
  readonly clock: Clock;
  readonly report: (told: unknown) => void;
  /** Told how many creations have shared a transaction. */
  readonly onGroup?: ((size: number) => void) | undefined;
}

/** How long a command may wait for a lock that the server holds, in milliseconds. A server never waits on its event loop. */
const commandLockTimeoutMs = 10_000;

/** The counters live in memory, so their file may begin anew. Without the other there is nothing to serve, and nobody to serve it to. */
const databases = {
  petstore: { synchronous: 'FULL', whenLost: { awaitRowsIn: 'api_keys' } },
  limits: { synchronous: 'NORMAL', whenLost: 'recreate' },
} as const;

/** Opens what is kept in a data directory; the counters only when they are asked for. @throws StartError */
export async function openSqliteStores(directory: string, role: Role, watch: Watch) {
  const opened = new Closers();
  const open = async (name: keyof typeof databases) => {
    const fileName = fileNames[name];
    const migrations = await readMigrations('sqlite', name);
    const lockTimeoutMs = role === 'server' ? 0 : commandLockTimeoutMs;
    const trouble = new TroubleLog(fileName, watch.clock, watch.report);
    return opened.add(new StoreDatabase({ directory, fileName, migrations, lockTimeoutMs, ...databases[name] }, trouble));
  };
  try {
    const lock = role === 'server' ? opened.add(new ServerLock(directory)) : undefined;
    const db = await open('petstore');
    const tended = [db];
    const pets = new SqlitePetStore(db, watch.onGroup);
    return {
      pets,
      archive: new SqlitePetArchive(db),
      keys: new SqliteKeyStore(db),
      /** @throws StartError */
      openLimits: async () => {
        const limits = await open('limits');
        tended.push(limits);
        return new SqliteLimitJournal(limits);
      },
      tend: () => {
        const hindrance = lock?.tend();
        for (const each of tended) each.tend(hindrance);
      },
      close: async () => {
        await pets.close();
        opened.close();
      },
    };
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** What was opened, to be closed in reverse order. */
class Closers {
  private readonly opened: { close(): unknown }[] = [];

  add<T extends { close(): unknown }>(closer: T): T {
    this.opened.push(closer);
    return closer;
  }

  /** Closes each, also when another one cannot be closed. @throws the first error */
  close(): void {
    const errors: unknown[] = [];
    for (const closer of this.opened.splice(0).reverse()) {
      try {
        closer.close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
