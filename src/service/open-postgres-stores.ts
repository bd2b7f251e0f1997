import { PostgresKeyStore } from '../api-keys/postgres-key-store.js';
import { readMigrations } from '../database/migrations.js';
import { OutageLog } from '../database/outage-log.js';
import type { Timeouts } from '../database/postgres/database.js';
import { openPostgresDatabase } from '../database/postgres/open-database.js';
import { resetTransactions } from '../pets/postgres/listing-delay.js';
import { PostgresPetStore } from '../pets/postgres/pet-store.js';
import { PostgresPetTransfer } from '../pets/postgres/pet-transfer.js';
import type { Role, StoreOptions } from './open-sqlite-stores.js';
import { ResourceStack } from './resource-stack.js';

/** During an outage, responses take up to 2.5 s, or 5 s for a creation that waited for the group before it. */
export const serverTimeouts: Timeouts = { connectMs: 800, lockMs: 0, statementMs: 1200, responseMs: 1500 };
export const commandTimeouts: Timeouts = { connectMs: 5000, lockMs: 10_000, statementMs: 0, responseMs: 0 };

/** The SQL files of PostgreSQL. */
export const postgresMigrations = new URL('../migrations/postgres/', import.meta.url);

/** @throws StartError */
export async function openPostgresStores(
  url: string,
  connectionsMax: number,
  role: Role,
  { clock, report, onBatch, onListed }: StoreOptions,
) {
  const db = await openPostgresDatabase({
    url,
    connectionsMax,
    timeouts: role === 'server' ? serverTimeouts : commandTimeouts,
    migrations: await readMigrations(postgresMigrations),
    startSql: resetTransactions,
    createOutageLog: (location) => new OutageLog(location, clock, report),
  });
  const opened = new ResourceStack();
  opened.add(db);
  return {
    pets: opened.add(new PostgresPetStore(db, { onBatch, onListed })),
    transfer: new PostgresPetTransfer(db),
    keys: new PostgresKeyStore(db),
    location: db.location,
    migrations: db.migrations,
    check: () => db.check(),
    close: () => opened.close(),
  };
}
