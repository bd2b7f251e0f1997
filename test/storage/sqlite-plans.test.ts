import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { listByStatusSql, listSql } from '#src/storage/sqlite/pet-store.js';
import { openTestDatabase } from '../support/database.js';

describe('The listings on SQLite', () => {
  let db: Database.Database;
  before(() => (db = openTestDatabase()));
  after(() => db.close());

  /** The plan of a statement as SQLite describes it, a line per step. */
  function planOf(sql: string, ...values: unknown[]): string[] {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
    return steps.map(({ detail }) => detail);
  }

  /** One step that begins where the page does: no scan from the start, and no sorting. */
  function expectSeeks(): void {
    expect(planOf(listSql, 0, 21)).to.deep.equal(['SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)']);
    for (const status of ['available', 'pending', 'sold', 'unheard of']) {
      expect(planOf(listByStatusSql, status, 0, 21), status).to.deep.equal([
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

  it('seek in an index while the catalogue is empty', expectSeeks);

  it('seek in an index after ANALYZE, when nearly all animals are in one state', () => {
    add(20_000, 'available');
    add(3, 'sold');
    db.exec('ANALYZE');
    expectSeeks();
  });

  it('seek in an index after ANALYZE, when all animals are in one state', () => {
    db.exec(`DELETE FROM pets WHERE status <> 'available'; ANALYZE`);
    expectSeeks();
  });
});
