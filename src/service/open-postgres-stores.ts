import { PostgresKeyStore } from '../api-keys/postgres-key-store.js';
import { readMigrations } from '../database/migrations.js';
import { OutageLog } from '../database/outage-log.js';
import type { Timeouts } from '../database/postgres/database.js';
import { openPostgresDatabase } from '../database/postgres/open-database.js';
import type { Clock } from '../lib/clock.js';
import type { ContractSource } from '../openapi/load-contract.js';
import { resetTransactions } from '../pets/postgres/listing-delay.js';
import { PostgresPetStore } from '../pets/postgres/pet-store.js';
import { PostgresPetTransfer } from '../pets/postgres/pet-transfer.js';
import { openAll } from './resource-stack.js';

/**
 * The kind of process that opens the stores. A `server` never waits for locks on its event loop, and is the only one on
 * its data directory; a `command` may wait, also while a server runs.
 */
export type Role = 'server' | 'command';

export interface StoreOptions {
  readonly contract: ContractSource;
  readonly clock: Clock;
  /** Receives outages and internal errors. */
  readonly report: (event: unknown) => void;
  /** Called with the number of pets of each commit. */
  readonly onBatch?: ((size: number) => void) | undefined;
  /** Called with the time between a commit of pets and their listing, in seconds. */
  readonly onListed?: (seconds: number) => void;
}

/** During an outage, responses take up to 2.5 s, or 5 s for a creation that waited for the group before it. */
export const serverTimeouts: Timeouts = { connectMs: 800, lockMs: 0, statementMs: 1200, responseMs: 1500 };
export const commandTimeouts: Timeouts = { connectMs: 5000, lockMs: 10_000, statementMs: 0, responseMs: 0 };

/** The SQL files of PostgreSQL. */
export const postgresMigrations = new URL('../migrations/postgres/', import.meta.url);

/** @throws StartError */
export function openPostgresStores(
  url: string,
  connectionsMax: number,
  role: Role,
  { clock, report, ...callbacks }: StoreOptions,
) {
  return openAll(report, async (opened) => {
    const db = opened.add(
      await openPostgresDatabase({
        url,
        connectionsMax,
        timeouts: role === 'server' ? serverTimeouts : commandTimeouts,
        migrations: await readMigrations(postgresMigrations),
        startSql: resetTransactions,
        createOutageLog: (location) => new OutageLog(location, clock, report),
      }),
    );
    return {
      pets: opened.add(new PostgresPetStore(db, callbacks)),
      transfer: new PostgresPetTransfer(db),
      keys: new PostgresKeyStore(db),
      windows: undefined,
      location: db.location,
      migrations: db.migrations,
      check: () => db.check(),
      close: () => opened.close(),
    };
  });
}
