import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { StoreDatabase } from '#src/database/sqlite/store-database.js';
import { openTestStore } from '../../support/sqlite/database.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('reads of a SQLite database in one event-loop tick', () => {
  let db: StoreDatabase;
  let other: Database.Database;
  let statements: string[];
  const insertSql = `INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'available')`;
  const countSql = 'SELECT count(*) FROM pets';
  beforeEach(async () => {
    const directory = temporaryDirectory();
    statements = [];
    db = openTestStore(directory, { verbose: (sql) => statements.push(String(sql)) });
    other = new Database(join(directory, 'petstore.db'));
    await nextTick();
    statements.length = 0;
  });
  afterEach(() => {
    db.close();
    other.close();
  });

  const count = () => db.read(() => db.prepare(countSql).pluck().get());

  it('share a transaction from the second on', async () => {
    await Promise.all([count(), count(), count()]);
    await nextTick();
    expect(statements).to.deep.equal([countSql, 'BEGIN', countSql, countSql, 'ROLLBACK']);
    expect(db.connection.inTransaction).to.equal(false);
  });

  it('have no transaction if there is only one', async () => {
    for (let tick = 0; tick < 3; tick += 1) {
      await count();
      await nextTick();
    }
    expect(statements).to.deep.equal([countSql, countSql, countSql]);
  });

  it('read one snapshot in their transaction; the next tick reads what another process has committed', async () => {
    const reads = [count(), count()];
    other.exec(insertSql);
    reads.push(count());
    expect(await Promise.all(reads)).to.deep.equal([0, 0, 0]);
    await nextTick();
    expect(await count()).to.equal(1);
  });

  it('end before a write, which is committed at once and read by the reads that follow', async () => {
    const reads = [count(), count()];
    const written = db.commit(() => db.prepare(insertSql).run());
    expect(other.prepare(countSql).pluck().get()).to.equal(1);
    reads.push(count(), count());
    await written;
    expect(await Promise.all(reads)).to.deep.equal([0, 0, 1, 1]);
  });

  it('do not hold their snapshot if the database is closed in the same tick', async () => {
    const reads = [count(), count()];
    db.close();
    expect(await Promise.all(reads)).to.deep.equal([0, 0]);
    await nextTick();
    other.exec(insertSql);
    expect(other.pragma('wal_checkpoint(TRUNCATE)')).to.deep.equal([{ busy: 0, log: 0, checkpointed: 0 }]);
  });
});
