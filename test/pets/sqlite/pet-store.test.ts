import { expect } from 'chai';
import { deleteExpiredSql, listByStatusSql, listSql, SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { openTestDatabase } from '../../support/databases.js';
import { rex } from '../../support/pets.js';

const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)';
/** Changes of the database, after each of which every plan must be the same. */
const changes = [
  ['an empty database', ''],
  [
    'pets that nearly all have the same status',
    `${numbers} INSERT INTO pets (name, category_id, status)
       SELECT 'Rex', n, CASE WHEN n <= 3 THEN 'sold' ELSE 'available' END FROM numbers;
     ${numbers} INSERT INTO idempotency_keys SELECT 'quota_a', n, x'00', n, n FROM numbers`,
  ],
  ['ANALYZE', 'ANALYZE'],
  ['pets that all have the same status', `DELETE FROM pets WHERE status = 'sold'; ANALYZE`],
] as const;
const byStatus = 'SEARCH pets USING INDEX pets_by_status (status=? AND id>?)';
const plans: readonly (readonly [sql: string, values: readonly unknown[], ...steps: string[]])[] = [
  [listSql, [0, 21], 'SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)'],
  ...['available', 'sold', 'unheard of'].map((status) => [listByStatusSql, [status, 0, 21], byStatus] as const),
  [
    ...([deleteExpiredSql, [20], 'SEARCH idempotency_keys USING PRIMARY KEY (quota_id=? AND key=?)'] as const),
    ...['LIST SUBQUERY 2', 'SEARCH idempotency_keys USING COVERING INDEX idempotency_keys_by_expiry (expires_at<?)'],
  ],
];

describe('pets in SQLite', () => {
  it('are found from the beginning of a page, without a scan from the start or a sort', async () => {
    const db = await openTestDatabase();
    for (const [state, change] of changes) {
      db.connection.exec(change);
      for (const [sql, values, ...steps] of plans) {
        const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
        expect(
          plan.map(({ detail }) => detail),
          state,
        ).to.deep.equal(steps);
      }
    }
  });

  it('share one transaction if they are created in one tick of the event loop', async () => {
    const batches: number[] = [];
    const batchSizes = { observe: (size: number) => batches.push(size) };
    const pets = new SqlitePetStore(await openTestDatabase(), { batchSizes });
    await Promise.all(Array.from({ length: 200 }, () => pets.insert(rex)));
    await pets.insert(rex);
    expect(batches).to.deep.equal([200, 1]);
  });
});
