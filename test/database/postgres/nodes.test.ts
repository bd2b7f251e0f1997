import { expect } from 'chai';
import { PostgresKeyStore } from '#src/api-keys/postgres-key-store.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import type { PostgresServer } from '../../support/postgres/postgres-server.js';
import { TruncatingProxy } from '../../support/servers/truncating-proxy.js';
import { expectUnavailable, promisedMs } from '../../support/unavailable.js';

describePostgres('several nodes on one PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  before(async () => {
    server = await sharedPostgres();
  });
  beforeEach(async () => {
    url = await server.createDatabase();
  });

  it('serves requests again within 5 s after all connections have stopped responding', async () => {
    const cutter = await TruncatingProxy.before(server.port);
    const beside = new URL(url);
    beside.port = String(cutter.port);
    const db = await openTestPostgres(beside.href, 10);
    const keys = new PostgresKeyStore(db);
    await Promise.all(Array.from({ length: 10 }, () => keys.exportAll()));
    cutter.silence();
    const silentSince = performance.now();
    await expectUnavailable(keys.exportAll(), /timeout/);
    // Sent one after the other, each request would use another unresponsive connection.
    expect(await keys.exportAll()).to.deep.equal([]);
    expect(performance.now() - silentSince).to.be.below(promisedMs);
    cutter.close();
    await db.close();
  });

  it('records the use of thousands of keys from several nodes at once, in any order', async () => {
    const dbs = await Promise.all([1, 2, 3].map(() => openTestPostgres(url)));
    await server.query(
      `INSERT INTO quotas SELECT 'quota_' || n, 'free' FROM generate_series(1, 2000) n;
       INSERT INTO api_keys (id, token_hash, name, quota_id, created_at)
         SELECT 'key_' || n, int4send(n), 'key', 'quota_' || n, 0 FROM generate_series(1, 2000) n`,
      url,
    );
    const uses = Array.from({ length: 2000 }, (_, index): [string, number] => [`key_${String(index + 1)}`, index]);
    const orders = [uses, uses.toReversed(), [...uses.slice(700), ...uses.slice(0, 700)]];
    const stores = dbs.map((db) => new PostgresKeyStore(db));
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(stores.map((store, index) => store.markUsed(new Map(orders[index]))));
    }
    const [row] = await server.query<{ sum: string }>('SELECT sum(last_used_at) FROM api_keys', url);
    expect(Number(row?.sum)).to.equal((1999 * 2000) / 2);
    for (const db of dbs) await db.close();
  });
});
