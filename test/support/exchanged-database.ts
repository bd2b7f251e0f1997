import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { NewPet } from '#src/contract/types.js';
import { Refusal } from '#src/domain/refusal.js';
import type { StorageNotice } from '#src/domain/storage-notice.js';
import { SqlitePetStore } from '#src/storage/sqlite/pet-store.js';
import type { StoreDatabase } from '#src/storage/sqlite/store-database.js';
import { openTestStore } from './database.js';
import { temporaryDirectory } from './temporary-directory.js';

const rex: NewPet = { name: 'Rex', categoryId: 7, status: 'available' };
const addKey = `INSERT INTO budgets VALUES ('budget', 'free', NULL, NULL);
  INSERT INTO api_keys (id, token_hash, name, budget_id, created_at) VALUES ('key', x'00', 'shop', 'budget', 0)`;

/** A database with one animal, whose file a test exchanges behind its back. */
export class ExchangedDatabase {
  readonly directory = join(temporaryDirectory(), 'data');
  readonly file = join(this.directory, 'petstore.db');
  /** What the operator was told. */
  readonly told: string[] = [];
  readonly db: StoreDatabase;
  readonly pets: SqlitePetStore;

  private constructor() {
    this.db = openTestStore(this.directory, {}, (notice) => void this.told.push((notice as StorageNotice).message));
    this.db.connection.exec(addKey);
    this.pets = new SqlitePetStore(this.db);
  }

  static async open(): Promise<ExchangedDatabase> {
    const opened = new ExchangedDatabase();
    await opened.insert('Rex');
    return opened;
  }

  insert(name: string): Promise<number> {
    return this.pets.insert({ ...rex, name });
  }

  async nameOf(id: number): Promise<string> {
    return (JSON.parse(String(await this.pets.find(id))) as { name: string }).name;
  }

  /** Seconds of a server's life: what is there is seen, has stood still and is opened, and all is well. */
  tend(): void {
    for (let second = 0; second < 3; second += 1) this.db.tend();
  }

  async expectRefused(promise: Promise<unknown> = this.insert('Mia')): Promise<void> {
    const error = await promise.catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Refusal).and.include({ code: 'store_unavailable' });
  }
}

/** A database of the service's, with a key and these animals, and nothing beside it. */
export async function createDatabase(...names: string[]): Promise<string> {
  const directory = temporaryDirectory();
  const db = openTestStore(directory);
  db.connection.exec(addKey);
  const pets = new SqlitePetStore(db);
  for (const name of names) await pets.insert({ ...rex, name });
  db.close();
  return join(directory, 'petstore.db');
}

/** The names in a database file, which must be sound. */
export function namesIn(file: string): string[] {
  const db = new Database(file, { fileMustExist: true });
  try {
    expect(db.pragma('integrity_check', { simple: true })).to.equal('ok');
    return db.prepare<[], string>('SELECT name FROM pets ORDER BY id').pluck().all();
  } finally {
    db.close();
  }
}

export function began(reason: string): string {
  return `petstore.db is in trouble since 1970-01-01T00:00:00.000Z: ${reason}.`;
}

export function over(...reasons: string[]): string {
  return `petstore.db works again. It was in trouble since 1970-01-01T00:00:00.000Z, for 0 s: ${reasons.join('; ')}.`;
}
