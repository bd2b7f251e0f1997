import { expect } from 'chai';
import type { StoreDatabase } from '#src/database/sqlite/store-database.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { creationRequest } from '../../support/pets.js';
import { openTestStore } from '../../support/sqlite/database.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('creations in SQLite', () => {
  let statements: string[];
  let db: StoreDatabase;
  let pets: SqlitePetStore;
  const count = (pattern: RegExp) => statements.filter((sql) => pattern.test(sql)).length;
  const insert = (name: string) => pets.insert({ name, categoryId: 7, status: 'available' });

  beforeEach(() => {
    statements = [];
    db = openTestStore(temporaryDirectory(), { verbose: (sql) => statements.push(String(sql)) });
    pets = new SqlitePetStore(db);
  });
  afterEach(async () => {
    await pets.close();
    db.close();
  });

  it('share one transaction if they arrive in one tick of the event loop', async () => {
    await Promise.all(Array.from({ length: 200 }, (_, index) => insert(String(index))));
    expect(count(/^INSERT/)).to.equal(200);
    expect(count(/^BEGIN IMMEDIATE/)).to.equal(1);
    expect(count(/^COMMIT/)).to.equal(1);
  });

  it('have a transaction each if they arrive one after the other', async () => {
    await insert('Rex');
    await insert('Mia');
    expect(count(/^COMMIT/)).to.equal(2);
  });

  it('are written in one transaction with their idempotency keys', async () => {
    statements.length = 0;
    await pets.insertOnce({ name: 'Rex', categoryId: 7, status: 'available' }, creationRequest);
    expect(statements.map((sql) => sql.split(' ').slice(0, 3).join(' '))).to.deep.equal([
      'BEGIN IMMEDIATE',
      'SELECT pet_id, body_digest',
      'INSERT INTO pets',
      'INSERT OR REPLACE',
      'COMMIT',
    ]);
  });

  it('roll back a batch that fails, and write its pets one by one', async () => {
    const bad = pets.insert({ name: 'bad', categoryId: 2n ** 63n, status: 'available' });
    const results = await Promise.allSettled([insert('Rex'), bad, insert('Mia')]);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect([count(/^ROLLBACK/), count(/^COMMIT/)]).to.deep.equal([2, 2]);
    expect(db.prepare('SELECT name FROM pets ORDER BY id').pluck().all()).to.deep.equal(['Rex', 'Mia']);
  });
});
