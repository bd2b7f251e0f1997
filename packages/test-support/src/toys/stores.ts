import type { Json, Schema } from 'contract-server';
import { GroupCommit, type PostgresDatabase } from 'contract-server/postgres';
import type { SqliteDatabase, StoreDependencies } from 'contract-server/sqlite';
import type { Contract } from './generated/contract.js';

type Toy = Schema<Contract, 'Toy'>;
type NewToy = Schema<Contract, 'NewToy'>;

/** The toys, on one engine. */
export interface ToyStore {
  list(limit: number): Promise<Json<Toy[]>>;
  find(id: number | bigint): Promise<Json<Toy> | undefined>;
  /** Resolves with the id when the toy is on disk. */
  insert(toy: NewToy): Promise<number>;
}

export function createSqliteStore(db: SqliteDatabase, { metrics }: StoreDependencies): ToyStore {
  const json = `json_object('id', id, 'name', name, 'weight', weight)`;
  const list = db.prepare<[number], Json<Toy>>(`SELECT ${json} FROM toys ORDER BY id LIMIT ?`).pluck();
  const find = db.prepare<[number | bigint], Json<Toy>>(`SELECT ${json} FROM toys WHERE id = ?`).pluck();
  const insert = db.prepare<[string, number | bigint]>('INSERT INTO toys (name, weight) VALUES (?, ?)');
  const insertAll = (toys: readonly NewToy[]) =>
    toys.map(({ name, weight }) => Number(insert.run(name, weight).lastInsertRowid));
  const creations = new GroupCommit<NewToy, number>((toys) => db.transaction(() => insertAll(toys)), metrics);
  return {
    list: (limit) => db.run(() => `[${list.all(limit).join(',')}]` as Json<Toy[]>),
    find: (id) => db.run(() => find.get(id)),
    insert: (toy) => creations.add(toy),
  };
}

export function createPostgresStore(db: PostgresDatabase): ToyStore {
  const json = `json_build_object('id', id, 'name', name, 'weight', weight)::text AS json`;
  const list = { name: 'list_toys', text: `SELECT ${json} FROM toys ORDER BY id LIMIT $1` };
  const find = { name: 'find_toy', text: `SELECT ${json} FROM toys WHERE id = $1` };
  const insert = { name: 'insert_toy', text: 'INSERT INTO toys (name, weight) VALUES ($1, $2) RETURNING id::int' };
  return {
    list: async (limit) => {
      const rows = await db.query<{ json: string }>(list, [limit]);
      return `[${rows.map(({ json: text }) => text).join(',')}]` as Json<Toy[]>;
    },
    find: async (id) => (await db.query<{ json: Json<Toy> }>(find, [id]))[0]?.json,
    insert: async ({ name, weight }) => (await db.query<{ id: number }>(insert, [name, weight]))[0]?.id ?? NaN,
  };
}
