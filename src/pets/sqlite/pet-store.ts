import type Database from 'better-sqlite3';
import { BatchWindow } from '../../database/batch-window.js';
import { GroupCommit, type GroupCommitOptions } from '../../database/group-commit.js';
import type { StoreDatabase } from '../../database/sqlite/store-database.js';
import type { Json } from '../../json/exact-json.js';
import type { Int64 } from '../../json/int64.js';
import type { NewPet, Pet, Pets } from '../pet.js';
import type { Creation, IdempotentRequest, IdempotentResult, PageRequest, PetPage, PetStore } from '../pet-store.js';
import { SqliteIdempotencyKeys } from './idempotency-keys.js';

/** A Pet of the contract as JSON text, so that 64-bit integers are exact. */
const petJson = `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', status)`;

export const listSql = `SELECT ${petJson} FROM pets WHERE id > ? ORDER BY id LIMIT ?`;
// Without INDEXED BY, SQLite may scan the whole table after ANALYZE if most pets have the same status.
export const listByStatusSql = `
  SELECT ${petJson} FROM pets INDEXED BY pets_by_status WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;

export class SqlitePetStore implements PetStore {
  private readonly page: Database.Statement<[number, number], Json<Pet>>;
  private readonly pageByStatus: Database.Statement<[string, number, number], Json<Pet>>;
  private readonly one: Database.Statement<[Int64], Json<Pet>>;
  private readonly creations: GroupCommit<Creation, IdempotentResult>;
  private readonly keys: SqliteIdempotencyKeys;

  constructor(
    private readonly db: StoreDatabase,
    groupCommit: GroupCommitOptions = { batchWindow: new BatchWindow() },
  ) {
    this.page = db.prepare<[number, number], Json<Pet>>(listSql).pluck();
    this.pageByStatus = db.prepare<[string, number, number], Json<Pet>>(listByStatusSql).pluck();
    this.one = db.prepare<[Int64], Json<Pet>>(`SELECT ${petJson} FROM pets WHERE id = ?`).pluck();
    this.keys = new SqliteIdempotencyKeys(db);
    const insertOne = insertInto(db, this.keys);
    this.creations = new GroupCommit((creations) => db.tryCommit(() => creations.map(insertOne)), groupCommit);
  }

  list({ limit, status, afterId }: PageRequest): Promise<PetPage> {
    return this.db.run(() => {
      // Reads one more row to find out whether there is a next page.
      const rows =
        status === undefined ? this.page.all(afterId, limit + 1) : this.pageByStatus.all(status, afterId, limit + 1);
      const hasNext = rows.length > limit;
      if (hasNext) rows.pop();
      const pets = `[${rows.join(',')}]` as Json<Pets>;
      // Only the last id is needed: selecting the column would cost as much per row as the JSON text.
      return { pets, lastId: hasNext ? findLastId(rows) : undefined };
    });
  }

  find(id: Int64): Promise<Json<Pet> | undefined> {
    return this.db.run(() => this.one.get(id));
  }

  insert(pet: NewPet): Promise<number> {
    return this.creations.add({ pet }).then(({ id }) => id);
  }

  insertOnce(pet: NewPet, request: IdempotentRequest): Promise<IdempotentResult> {
    return this.creations.add({ pet, request });
  }

  findReplay(request: IdempotentRequest): Promise<IdempotentResult | undefined> {
    return this.db.run(() => this.keys.findReplay(request));
  }

  async deleteExpiredKeys(now: number): Promise<number> {
    const hasExpired = await this.db.run(() => this.keys.hasExpired(now));
    return hasExpired ? this.db.commit(() => this.keys.deleteExpired(now)) : 0;
  }

  /** Resolves when every creation has settled. */
  async close(): Promise<void> {
    await this.creations.idle();
  }
}

/** The last id of a list; `undefined` if the list is empty. */
export function findLastId(pets: readonly Json<Pet>[]): number | undefined {
  const last = pets.at(-1);
  return last === undefined ? undefined : (JSON.parse(last) as Pet).id;
}

/** Creates a pet unless an earlier request with the same key has. Must run in a transaction. */
function insertInto(db: StoreDatabase, keys: SqliteIdempotencyKeys): (creation: Creation) => IdempotentResult {
  const insert = db.prepare<[string, Int64, string]>('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
  return ({ pet, request }) => {
    const earlier = request && keys.findReplay(request);
    if (earlier !== undefined) return earlier;
    const id = Number(insert.run(pet.name, pet.categoryId, pet.status).lastInsertRowid);
    if (request !== undefined) keys.save(request, id);
    return { kind: 'created', id };
  };
}
