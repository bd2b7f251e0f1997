import { expect } from 'chai';
import type { SqliteDatabase } from '#src/database/sqlite/database.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { openTestDatabase } from '../../support/sqlite/database.js';

describe('creations in SQLite', () => {
  let batches: number[];
  let db: SqliteDatabase;
  let pets: SqlitePetStore;
  const insert = (name: string, categoryId: number | bigint = 7) =>
    pets.insert({ name, categoryId, status: 'available' });

  beforeEach(async () => {
    batches = [];
    db = await openTestDatabase();
    pets = new SqlitePetStore(db, { onBatch: (size) => batches.push(size) });
  });
  afterEach(async () => {
    await pets.close();
    db.close();
  });

  it('share one transaction if they arrive in one tick of the event loop', async () => {
    await Promise.all(Array.from({ length: 200 }, (_, index) => insert(String(index))));
    await insert('Rex');
    expect(batches).to.deep.equal([200, 1]);
  });

  it('roll back a batch that fails, and write its pets one by one', async () => {
    const results = await Promise.allSettled([insert('Rex'), insert('bad', 2n ** 63n), insert('Mia')]);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(batches).to.deep.equal([1, 1]);
    expect(db.prepare('SELECT name FROM pets ORDER BY id').pluck().all()).to.deep.equal(['Rex', 'Mia']);
  });
});
