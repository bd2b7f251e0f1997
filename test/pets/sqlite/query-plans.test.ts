import { expect } from 'chai';
import type { SqliteDatabase } from '#src/database/sqlite/database.js';
import { deleteExpiredSql, listByStatusSql, listSql } from '#src/pets/sqlite/pet-store.js';
import { openTestDatabase } from '../../support/sqlite/database.js';

const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)';
/** Changes of the database, after each of which every plan must be the same. */
const changes = {
  'an empty database': '',
  'pets that nearly all have the same status': `
    ${numbers} INSERT INTO pets (name, category_id, status)
      SELECT 'Rex', n, CASE WHEN n <= 3 THEN 'sold' ELSE 'available' END FROM numbers;
    ${numbers} INSERT INTO idempotency_keys SELECT 'quota_a', n, x'00', n, n FROM numbers`,
  ANALYZE: 'ANALYZE',
  'pets that all have the same status': `DELETE FROM pets WHERE status = 'sold'; ANALYZE`,
};
const plans: readonly (readonly [sql: string, values: readonly unknown[], steps: readonly string[]])[] = [
  [listSql, [0, 21], ['SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)']],
  ...['available', 'pending', 'sold', 'unheard of'].map(
    (status) =>
      [listByStatusSql, [status, 0, 21], ['SEARCH pets USING INDEX pets_by_status (status=? AND id>?)']] as const,
  ),
  [
    deleteExpiredSql,
    [20],
    [
      'SEARCH idempotency_keys USING PRIMARY KEY (quota_id=? AND key=?)',
      'LIST SUBQUERY 2',
      'SEARCH idempotency_keys USING COVERING INDEX idempotency_keys_by_expiry (expires_at<?)',
    ],
  ],
];

describe('the query plans in SQLite', () => {
  let db: SqliteDatabase;
  before(async () => (db = await openTestDatabase()));
  after(() => db.close());

  for (const [state, sql] of Object.entries(changes)) {
    it(`begin at the page, without a scan from the start or a sort, with ${state}`, () => {
      db.connection.exec(sql);
      for (const [sql, values, steps] of plans) {
        const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
        expect(plan.map(({ detail }) => detail)).to.deep.equal(steps);
      }
    });
  }
});
