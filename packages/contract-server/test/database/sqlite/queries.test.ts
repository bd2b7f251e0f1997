import { errorOf } from '@contract-server/test-support/error-of.js';
import { openTestDatabase } from '@contract-server/test-support/sqlite/database.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expectUnavailable } from '@contract-server/test-support/unavailable.js';
import { expect } from 'chai';
import { createToys, describeQueryable } from '../queryable.contract.js';

describe('a database of SQLite', () => {
  async function create(directory?: string) {
    const db = await openTestDatabase(directory);
    db.connection.exec(createToys.replace('TABLE', 'TABLE IF NOT EXISTS'));
    return db;
  }

  describeQueryable(async () => {
    const db = await create();
    return {
      db,
      transact: (writes, failure) =>
        db.transaction((transaction) => {
          const changed = writes.map((write) => transaction.execute(...write));
          if (failure !== undefined) throw failure;
          return changed;
        }),
    };
  });

  it('rejects an asynchronous transaction, and writes nothing', async () => {
    const db = await create();
    const result = db.transaction(async (transaction) => {
      transaction.execute('INSERT INTO toys (id) VALUES (1)');
      await Promise.resolve();
    });
    expect(await errorOf(result)).to.be.instanceOf(TypeError);
    expect(await db.query('SELECT * FROM toys')).to.deep.equal([]);
  });

  it('reads a file that another process has locked, and rejects writes as unavailable', async () => {
    const directory = temporaryDirectory();
    const [db, other] = [await create(directory), await create(directory)];
    other.connection.exec('BEGIN IMMEDIATE');
    const insert = 'INSERT INTO toys (id) VALUES (1)';
    await expectUnavailable(db.execute(insert), /^SQLITE_BUSY/);
    await expectUnavailable(db.query(`${insert} RETURNING id`), /^SQLITE_BUSY/);
    expect(await db.query('SELECT * FROM toys')).to.deep.equal([]);
    other.connection.exec('ROLLBACK');
    expect(await db.execute(insert)).to.equal(1);
  });
});
