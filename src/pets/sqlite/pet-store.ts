import type Database from 'better-sqlite3';
import { BatchWindow } from '../../database/batch-window.js';
import { GroupCommit, type GroupOptions } from '../../database/group-commit.js';
import type { StoreDatabase } from '../../database/sqlite/store-database.js';
import type { Json } from '../../json/exact-json.js';
import type { Int64 } from '../../json/int64.js';
import type { NewPet, Pet, Pets } from '../pet.js';
import type { IdempotentRequest, IdempotentResult, PageRequest, PetPage, PetStore } from '../pet-store.js';
import { deletedRowsMax, SqliteIdempotencyKeys } from './idempotency-keys.js';

/** An animal as the contract's Pet, written by the database: integers of 64 bits stay exact. */
const petJson = `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', status)`;

export const listSql = `SELECT ${petJson} FROM pets WHERE id > ? ORDER BY id LIMIT ?`;
// Once somebody has run ANALYZE on a catalogue of mostly one state, SQLite would rather walk all animals and skip the
// others.
export const listByStatusSql = `
  SELECT ${petJson} FROM pets INDEXED BY pets_by_status WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;

/**
 * How many transactions one call of `deleteExpiredKeys` may take, so that a service that stops waits for no more than
 * these.
 */
const deletionsMax = 20;

interface Creation {
  readonly pet: NewPet;
  readonly request?: IdempotentRequest;
}

export class SqlitePetStore implements PetStore {
  private readonly page: Database.Statement<[number, number], Json<Pet>>;
  private readonly pageByStatus: Database.Statement<[string, number, number], Json<Pet>>;
  private readonly one: Database.Statement<[Int64], Json<Pet>>;
  private readonly creations: GroupCommit<Creation, IdempotentResult>;
  private readonly keys: SqliteIdempotencyKeys;

  constructor(
    private readonly db: StoreDatabase,
    groups: GroupOptions = { batchWindow: new BatchWindow() },
  ) {
    this.page = db.prepare<[number, number], Json<Pet>>(listSql).pluck();
    this.pageByStatus = db.prepare<[string, number, number], Json<Pet>>(listByStatusSql).pluck();
    this.one = db.prepare<[Int64], Json<Pet>>(`SELECT ${petJson} FROM pets WHERE id = ?`).pluck();
    this.keys = new SqliteIdempotencyKeys(db);
    const insertOne = insertInto(db, this.keys);
    this.creations = new GroupCommit((creations) => db.tryCommit(() => creations.map(insertOne)), groups);
  }

  list({ limit, status, afterId }: PageRequest): Promise<PetPage> {
    return this.db.run(() => {
      // One row more than the page tells whether another page follows.
      const rows =
        status === undefined ? this.page.all(afterId, limit + 1) : this.pageByStatus.all(status, afterId, limit + 1);
      const hasNext = rows.length > limit;
      if (hasNext) rows.pop();
      const pets = `[${rows.join(',')}]` as Json<Pets>;
      // The id is read from the last animal alone: another column would cost as much per animal as its JSON.
      return { pets, lastId: hasNext ? lastIdOf(rows) : undefined };
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
    let forgotten = 0;
    for (let run = 0; run < deletionsMax; run += 1) {
      const hasExpired = await this.db.run(() => this.keys.hasExpired(now));
      const count = hasExpired ? await this.db.commit(() => this.keys.deleteExpired(now)) : 0;
      forgotten += count;
      if (count < deletedRowsMax) break;
      // Whatever has arrived meanwhile gets its turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return forgotten;
  }

  /** Resolves when every insertion has settled. */
  async close(): Promise<void> {
    await this.creations.idle();
  }
}

/** The id of the last animal of a list; `undefined` if there is none. */
export function lastIdOf(pets: readonly Json<Pet>[]): number | undefined {
  const last = pets.at(-1);
  return last === undefined ? undefined : (JSON.parse(last) as Pet).id;
}

/**
 * Creates an animal, unless an earlier request of the same key has, and tells what became of it. To be run inside a
 * transaction.
 */
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
