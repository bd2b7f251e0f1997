import { errorOf } from '@contract-server/test-support/error-of.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import type { PostgresServer } from '@contract-server/test-support/postgres/postgres-server.js';
import { expectUnavailable } from '@contract-server/test-support/unavailable.js';
import { expect } from 'chai';
import { Pool } from 'pg';
import type { PostgresDatabase } from '#src/database/postgres/database.js';
import { postgresTimeouts } from '#src/service/postgres-engine.js';
import { createToys, describeQueryable } from '../queryable.contract.js';

const insert = 'INSERT INTO toys (id) VALUES ($1)';
const ownProcess = 'SELECT pg_backend_pid() AS pid';

describePostgres('a database of PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  let db: PostgresDatabase;
  before(async () => (server = await sharedPostgres()));
  beforeEach(async () => {
    url = await server.createDatabase();
    db = await openTestPostgres(url, 2, { ...postgresTimeouts.server, connectMs: 5000 });
    await db.execute(createToys);
  });

  const ids = async () => (await db.query<{ id: number }>('SELECT id FROM toys ORDER BY id')).map(({ id }) => id);
  const processId = async (queryable: Pick<PostgresDatabase, 'query'>) => {
    const [row] = await queryable.query<{ pid: number }>(ownProcess);
    return row?.pid ?? 0;
  };
  const terminate = (pid: number) => server.query(`SELECT pg_terminate_backend(${String(pid)}, 5000)`);

  describeQueryable(() =>
    Promise.resolve({
      db,
      transact: (writes, failure) =>
        db.transaction(async (transaction) => {
          const changed: number[] = [];
          for (const write of writes) changed.push(await transaction.execute(...write));
          if (failure !== undefined) throw failure;
          return changed;
        }),
    }),
  );

  it('isolates concurrent transactions, and reuses their connections after an error', async () => {
    const pids = new Set<number>();
    const results = await Promise.allSettled(
      [1, 2, 3, 4, 5, 6].map((id) =>
        db.transaction(async (transaction) => {
          pids.add(await processId(transaction));
          await transaction.execute(insert, [id]);
          expect(await transaction.query('SELECT id FROM toys WHERE id = $1', [id])).to.deep.equal([{ id }]);
          if (id % 2 === 0) throw new Error('refused');
        }),
      ),
    );
    expect(results.map(({ status }) => status)).to.deep.equal(Array(3).fill(['fulfilled', 'rejected']).flat());
    expect(await ids()).to.deep.equal([1, 3, 5]);
    expect(pids).to.have.lengthOf(2);
  });

  it('rejects a transaction whose failed statement was ignored, and writes nothing', async () => {
    const result = db.transaction(async (transaction) => {
      await transaction.execute(insert, [1]);
      await errorOf(transaction.execute(insert, [1]));
    });
    expect(await errorOf(result))
      .to.be.instanceOf(Error)
      .and.not.have.property('code');
    expect(await ids()).to.deep.equal([]);
  });

  it('rejects statements of a transaction that has ended', async () => {
    const ended = await db.transaction((transaction) => Promise.resolve(transaction));
    for (const call of [() => ended.query(ownProcess), () => ended.execute(insert, [1])])
      expect(String(await errorOf(call()))).to.equal(
        'Error: The transaction has ended. Await its statements in its function.',
      );
    expect(await ids()).to.deep.equal([]);
  });

  it('rejects a transaction whose connection is lost as unavailable, writes nothing, and serves the next', async () => {
    for (const continues of [true, false]) {
      const result = db.transaction(async (transaction) => {
        await transaction.execute(insert, [1]);
        await terminate(await processId(transaction));
        if (continues) await transaction.execute(insert, [2]);
      });
      await expectUnavailable(result, /terminat|not queryable|57P01/);
      expect(await ids()).to.deep.equal([]);
    }
  });

  it('rolls back a transaction that pauses for longer than a statement may take', async () => {
    const impatient = await openTestPostgres(url, 1, { ...postgresTimeouts.server, statementMs: 100 });
    const result = impatient.transaction(async (transaction) => {
      await transaction.execute(insert, [1]);
      const pid = await processId(transaction);
      const running = `SELECT FROM pg_stat_activity WHERE pid = ${String(pid)}`;
      while ((await server.query(running)).length > 0);
      await transaction.execute(insert, [2]);
    });
    await expectUnavailable(result, /25P03|terminat|not queryable/);
    expect(await ids()).to.deep.equal([]);
  });

  it('prepares a statement with a name once per connection', async () => {
    const single = await openTestPostgres(url, 1);
    for (const id of [1, 2]) await single.execute({ name: 'insert_toy', text: insert }, [id]);
    const prepared = 'SELECT name FROM pg_prepared_statements';
    expect(await single.query(prepared)).to.deep.equal([{ name: 'insert_toy' }]);
  });

  it('shares its connections as a pool of pg, also after they were replaced', async () => {
    expect(db.pool).to.be.instanceOf(Pool);
    const client = await db.pool.connect();
    await client.query(insert, [1]);
    client.release();
    const name = new URL(url).pathname.slice(1);
    await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await terminate(await processId(db));
    await expectUnavailable(db.execute(insert, [2]), /25006|57P01|terminat/);
    await expectUnavailable(db.execute(insert, [2]), /25006/);
    await server.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await db.pool.query(insert, [3]);
    expect(await ids()).to.deep.equal([1, 3]);
    expect(db.pool.totalCount).to.equal(1);
  });
});
