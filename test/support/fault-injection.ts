import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { TestService } from './servers/service.js';

/** How long a key is remembered at most before it is looked up again, in milliseconds. */
const keyMemoryMs = 5000;

/** A second connection to the database of a running service. Whoever opens it closes it. */
export function openBeside({ directory }: Pick<TestService, 'directory'>): Database.Database {
  return new Database(join(directory, 'petstore.db'));
}

/** Runs something while the database is locked against writing, as it is while a bulk import moves its pets in. */
export async function whileLocked<T>(service: Pick<TestService, 'directory'>, run: () => Promise<T>): Promise<T> {
  const beside = openBeside(service);
  beside.exec('BEGIN IMMEDIATE');
  try {
    return await run();
  } finally {
    // What was begun and not committed is undone, and the lock is gone.
    beside.close();
  }
}

/** Takes a table away, which the service takes for a defect of its own. */
export function dropTable(service: TestService, table: 'pets' | 'api_keys'): void {
  const beside = openBeside(service);
  beside.exec(`DROP TABLE ${table}`);
  beside.close();
}

/** Overwrites the whole database file but its first page, which the service takes for trouble of the storage. */
export function corruptDatabase(service: Pick<TestService, 'directory'>): void {
  const beside = openBeside(service);
  // What the service has in memory is stale after a write; the checkpoint makes sure that it can read the file alone.
  beside.exec('UPDATE pets SET name = name; UPDATE api_keys SET name = name');
  beside.pragma('wal_checkpoint(TRUNCATE)');
  const pageBytes = beside.pragma('page_size', { simple: true }) as number;
  const file = join(service.directory, 'petstore.db');
  writeFileSync(file, readFileSync(file).fill(0xff, pageBytes));
  beside.close();
}

/** Moves the clock so far that every key has to be looked up again. */
export function forgetKeys({ clock }: TestService): void {
  clock.now += keyMemoryMs;
}
