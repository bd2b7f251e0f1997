import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { BetterSqlite3 } from 'contract-server/database/sqlite/better-sqlite3.js';
import type { TestServer } from './servers/test-server.js';

/** Longer than a key is cached, in milliseconds. */
const keyCacheMs = 5000;

/** A second connection to the database of a running service. The caller must close it. */
export function openBeside({ directory }: Pick<TestServer, 'directory'>): Database.Database {
  return new BetterSqlite3(databaseFile(directory));
}

/** Creates a database file, such as that of an older release, with SQL statements. */
export function createDatabaseFile(file: string, sql: string): void {
  const database = new BetterSqlite3(file);
  database.exec(sql);
  database.close();
}

/** Runs a function while the database is locked for writes, as at the end of a bulk import. */
export async function whileLocked<T>(service: Pick<TestServer, 'directory'>, run: () => Promise<T>): Promise<T> {
  const beside = openBeside(service);
  beside.exec('BEGIN IMMEDIATE');
  try {
    return await run();
  } finally {
    // Rolls back the transaction and releases the lock.
    beside.close();
  }
}

/** Drops a table, which the service treats as a defect (500). */
export function dropTable(service: Pick<TestServer, 'directory'>, table: string): void {
  const beside = openBeside(service);
  beside.exec(`DROP TABLE ${table}`);
  beside.close();
}

/** Overwrites the database file except its first page, which the service treats as an outage of the storage. */
export function corruptDatabase(service: Pick<TestServer, 'directory'>): void {
  const beside = openBeside(service);
  // After a write, the pages that the service has cached are stale; after a checkpoint, it reads the file.
  beside.exec('UPDATE applied_migrations SET name = name');
  beside.pragma('wal_checkpoint(TRUNCATE)');
  const pageBytes = beside.pragma('page_size', { simple: true }) as number;
  const file = databaseFile(service.directory);
  writeFileSync(file, readFileSync(file).fill(0xff, pageBytes));
  beside.close();
}

/** Advances the clock so that every cached key has expired. */
export function forgetKeys({ clock }: Pick<TestServer, 'clock'>): void {
  clock.now += keyCacheMs;
}

/** The database of a service in its data directory. */
function databaseFile(directory: string): string {
  const file = readdirSync(directory).find((name) => name.endsWith('.db'));
  if (file === undefined) throw new Error(`${directory} has no database.`);
  return join(directory, file);
}
