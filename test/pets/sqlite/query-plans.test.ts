import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { deleteExpiredSql, listByStatusSql, listSql } from '#src/pets/sqlite/pet-store.js';
import { openTestDatabase } from '../../support/sqlite/database.js';

/** The query plan of a statement, one line per step. */
function planOf(db: Database.Database, sql: string, ...values: unknown[]): string[] {
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
  return steps.map(({ detail }) => detail);
}

describe('the query plans of lists in SQLite', () => {
  let db: Database.Database;
  before(() => (db = openTestDatabase()));
  after(() => db.close());

  /** One step that begins at the page, without a scan from the start or a sort. */
  function expectSeeks(): void {
    expect(planOf(db, listSql, 0, 21)).to.deep.equal(['SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)']);
    for (const status of ['available', 'pending', 'sold', 'unheard of']) {
      expect(planOf(db, listByStatusSql, status, 0, 21), status).to.deep.equal([
        'SEARCH pets USING INDEX pets_by_status (status=? AND id>?)',
      ]);
    }
  }

  function add(count: number, status: string): void {
    db.prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
       INSERT INTO pets (name, category_id, status) SELECT 'Rex', n, ? FROM numbers`,
    ).run(count, status);
  }

  it('use an index while there are no pets', expectSeeks);

  it('use an index after ANALYZE, if nearly all pets have the same status', () => {
    add(20_000, 'available');
    add(3, 'sold');
    db.exec('ANALYZE');
    expectSeeks();
  });

  it('use an index after ANALYZE, if all pets have the same status', () => {
    db.exec(`DELETE FROM pets WHERE status <> 'available'; ANALYZE`);
    expectSeeks();
  });
});

describe('the deletion of expired idempotency keys in SQLite', () => {
  it('finds expired keys with an index, also after ANALYZE', () => {
    const db = openTestDatabase();
    const add = db.prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
       INSERT INTO idempotency_keys SELECT 'quota_a', n, x'00', n, n FROM numbers`,
    );
    for (const change of [() => undefined, () => add.run(), () => db.exec('ANALYZE')]) {
      change();
      expect(planOf(db, deleteExpiredSql, 20)).to.deep.equal([
        'SEARCH idempotency_keys USING PRIMARY KEY (quota_id=? AND key=?)',
        'LIST SUBQUERY 2',
        'SEARCH idempotency_keys USING COVERING INDEX idempotency_keys_by_expiry (expires_at<?)',
      ]);
    }
    db.close();
  });
});
