import type Database from 'better-sqlite3';
import type { Int64 } from '../../contract/int64.js';
import type { Json, NewPet, Pet, Pets } from '../../contract/types.js';
import type { PageRequest, PetPage, PetStore } from '../../domain/pets.js';
import { GroupCommit } from '../group-commit.js';
import { withRetry } from './retry.js';

/** An animal as the contract's Pet, written by the database: integers of 64 bits stay exact. */
const petJson = `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', status)`;

export const listSql = `SELECT id, ${petJson} FROM pets WHERE id > ? ORDER BY id LIMIT ?`;
// Once somebody has run ANALYZE on a catalogue of mostly one state, SQLite would rather walk all animals and skip the others.
export const listByStatusSql = `
  SELECT id, ${petJson} FROM pets INDEXED BY pets_by_status WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;

type Row = readonly [id: number, json: string];

export class SqlitePetStore implements PetStore {
  private readonly page: Database.Statement<[number, number], Row>;
  private readonly pageByStatus: Database.Statement<[string, number, number], Row>;
  private readonly one: Database.Statement<[Int64], Json<Pet>>;
  private readonly creations: GroupCommit<NewPet, number>;

  constructor(db: Database.Database) {
    this.page = db.prepare<[number, number], Row>(listSql).raw();
    this.pageByStatus = db.prepare<[string, number, number], Row>(listByStatusSql).raw();
    this.one = db.prepare<[Int64], Json<Pet>>(`SELECT ${petJson} FROM pets WHERE id = ?`).pluck();
    const insertAll = insertInto(db);
    this.creations = new GroupCommit((pets) => withRetry(() => insertAll(pets)));
  }

  list({ limit, status, afterId }: PageRequest): Promise<PetPage> {
    return withRetry(() => {
      // One row more than the page tells whether another page follows.
      const rows = status === undefined ? this.page.all(afterId, limit + 1) : this.pageByStatus.all(status, afterId, limit + 1);
      const shown = rows.slice(0, limit);
      const pets = `[${shown.map(([, json]) => json).join(',')}]` as Json<Pets>;
      return { pets, lastId: rows.length > limit ? shown.at(-1)?.[0] : undefined };
    });
  }

  find(id: Int64): Promise<Json<Pet> | undefined> {
    return withRetry(() => this.one.get(id));
  }

  insert(pet: NewPet): Promise<number> {
    return this.creations.add(pet);
  }

  /** Resolves when every insertion has settled. */
  async close(): Promise<void> {
    await this.creations.idle();
  }
}

/** A transaction that inserts animals and returns their ids, in the same order. */
function insertInto(db: Database.Database): (pets: readonly NewPet[]) => number[] {
  const insert = db.prepare<[string, Int64, string]>('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
  const insertAll = db.transaction((pets: readonly NewPet[]) =>
    pets.map(({ name, categoryId, status }) => Number(insert.run(name, categoryId, status).lastInsertRowid)),
  );
  return (pets) => insertAll.immediate(pets);
}
