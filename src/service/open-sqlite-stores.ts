import { SqliteKeyStore } from '../api-keys/sqlite-key-store.js';
import { readMigrations } from '../database/migrations.js';
import { OutageLog } from '../database/outage-log.js';
import { openSqliteDatabase } from '../database/sqlite/open-database.js';
import { takeServerLock } from '../database/sqlite/server-lock.js';
import type { Clock } from '../lib/clock.js';
import { SqlitePetStore } from '../pets/sqlite/pet-store.js';
import { SqlitePetTransfer } from '../pets/sqlite/pet-transfer.js';
import { WindowTable } from '../rate-limits/window-table.js';
import { openAll } from './resource-stack.js';

/**
 * The kind of process that opens the stores. A `server` never waits for locks on its event loop, and is the only one on
 * its data directory; a `command` may wait, also while a server runs.
 */
export type Role = 'server' | 'command';

export interface StoreOptions {
  readonly clock: Clock;
  /** Receives outages and internal errors. */
  readonly report: (event: unknown) => void;
  /** Called with the number of pets of each commit. */
  readonly onBatch?: ((size: number) => void) | undefined;
  /** Called with the time between a commit of pets and their listing, in seconds. */
  readonly onListed?: (seconds: number) => void;
}

/** How long a command waits for a lock of the server. A server never waits on its event loop. */
const commandLockTimeoutMs = 10_000;

export const databaseFileName = 'petstore.db';

/** The SQL files of the embedded database. */
export const sqliteMigrations = new URL('../migrations/sqlite/', import.meta.url);

/** Opens the database in a data directory, which only one server may use. @throws StartError */
export function openSqliteStores(location: string, role: Role, { clock, report, onBatch }: StoreOptions) {
  return openAll(report, async (opened) => {
    if (role === 'server') opened.add(takeServerLock(location));
    const db = opened.add(
      await openSqliteDatabase({
        directory: location,
        fileName: databaseFileName,
        migrations: await readMigrations(sqliteMigrations),
        lockTimeoutMs: role === 'server' ? 0 : commandLockTimeoutMs,
        outages: new OutageLog(databaseFileName, clock, report),
      }),
    );
    return {
      pets: opened.add(new SqlitePetStore(db, onBatch)),
      transfer: new SqlitePetTransfer(db),
      keys: new SqliteKeyStore(db),
      windows: new WindowTable(db),
      location,
      migrations: db.migrations,
      check: () => db.check(),
      close: () => opened.close(),
    };
  });
}
