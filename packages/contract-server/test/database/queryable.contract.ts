import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import type { Queryable } from '#src/database/queryable.js';

interface Toy {
  readonly id: number | bigint;
  readonly name: string;
}

type Write = readonly [sql: string, values?: readonly unknown[]];

/** A database with an empty table. */
export interface QueryableEngine {
  readonly db: Queryable;
  /** Runs writes in a transaction, whose function then throws the failure, if any. Resolves with the changed rows. */
  readonly transact: (writes: readonly Write[], failure?: Error) => Promise<readonly number[]>;
}

export const createToys = 'CREATE TABLE toys (id bigint PRIMARY KEY, name text)';
const insertToys = 'INSERT INTO toys (id, name) VALUES ($1, $2), ($3, $2)';

/** What both engines do. */
export function describeQueryable(create: () => Promise<QueryableEngine>): void {
  let db: Queryable;
  let transact: QueryableEngine['transact'];
  beforeEach(async () => ({ db, transact } = await create()));
  const names = async () => (await db.query<Toy>('SELECT name FROM toys ORDER BY id')).map(({ name }) => name);

  it('returns rows as objects, and the number of changed rows', async () => {
    expect(await db.execute(insertToys, [1, 'ball', 2])).to.equal(2);
    const rows = await db.query('SELECT name, id FROM toys WHERE name = $1 ORDER BY id', ['ball']);
    expect(rows).to.deep.equal([
      { name: 'ball', id: 1 },
      { name: 'ball', id: 2 },
    ]);
    expect(await db.query('SELECT id FROM toys WHERE id = $1', [3])).to.deep.equal([]);
    expect(await db.execute('UPDATE toys SET name = $1 WHERE id > $2', ['doll', 1])).to.equal(1);
    expect(await db.execute('DELETE FROM toys WHERE id > $1', [2])).to.equal(0);
    expect(await names()).to.deep.equal(['ball', 'doll']);
  });

  it('returns the rows of a write, and none of one that returns nothing', async () => {
    const insert = 'INSERT INTO toys (id, name) VALUES ($1, $2)';
    expect(await db.query(`${insert} RETURNING *`, [1, undefined])).to.deep.equal([{ id: 1, name: null }]);
    expect(await db.query(insert, [2, null])).to.deep.equal([]);
    expect(await db.execute('DELETE FROM toys WHERE name IS NULL RETURNING id')).to.equal(2);
  });

  it('returns exact integers', async () => {
    const ids = [-(2n ** 63n), -(2n ** 53n), -(2 ** 53 - 1), 0, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    for (const id of ids) await db.execute('INSERT INTO toys (id) VALUES ($1)', [id]);
    const rows = await db.query<Toy>('SELECT id FROM toys ORDER BY id');
    expect(rows.map(({ id }) => id)).to.deep.equal(ids);
  });

  it('rejects several statements, invalid SQL and too few values, and changes nothing', async () => {
    const several = 'INSERT INTO toys (id) VALUES (1); INSERT INTO toys (id) VALUES (2)';
    for (const sql of [several, 'INSERT INTO toys (size) VALUES (1)', 'INSERT toys', insertToys])
      for (const call of [() => db.query(sql), () => db.execute(sql)])
        expect(await errorOf(call()), sql).to.not.have.property('code', 'store_unavailable');
    expect(await names()).to.deep.equal([]);
  });

  it('writes all or nothing in a transaction, and rejects with the error of its function', async () => {
    const failure = new Error('refused');
    const insert: Write = ['INSERT INTO toys (id, name) VALUES ($1, $2)', [1, 'ball']];
    expect(await errorOf(transact([insert], failure))).to.equal(failure);
    expect(await names()).to.deep.equal([]);
    expect(await transact([insert, ['UPDATE toys SET id = 2'], ['DELETE FROM toys WHERE id = 1']])).to.deep.equal([
      1, 1, 0,
    ]);
    const { code } = (await errorOf(transact([insert, insert]))) as { readonly code: string };
    expect(code).to.match(/^(SQLITE_CONSTRAINT_PRIMARYKEY|23505)$/);
    expect(await db.query('SELECT id FROM toys')).to.deep.equal([{ id: 2 }]);
  });
}
