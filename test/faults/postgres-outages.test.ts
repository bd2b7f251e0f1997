import { setTimeout as delay } from 'node:timers/promises';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import type { PostgresServer } from '@contract-server/test-support/postgres/postgres-server.js';
import { TcpProxy } from '@contract-server/test-support/servers/tcp-proxy.js';
import { expectUnavailable, promisedMs } from '@contract-server/test-support/unavailable.js';
import { expect } from 'chai';
import { apiKeys } from 'contract-server/api-keys';
import type { PostgresDatabase } from 'contract-server/postgres';
import { DatabaseError } from 'pg';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { lockIds, openTestPostgres } from '../support/databases.js';
import { creationRequest, rex } from '../support/pets.js';

describePostgres('PostgreSQL outages', () => {
  let server: PostgresServer;
  let url: string;
  let name: string;
  let db: PostgresDatabase;
  let pets: PostgresPetStore;
  let keys: Awaited<ReturnType<ReturnType<typeof apiKeys>['openStore']>>;
  before(async () => (server = await sharedPostgres()));
  beforeEach(async () => {
    url = await server.createDatabase();
    name = new URL(url).pathname.slice(1);
    await open(url);
  });
  afterEach(async () => {
    await pets.close();
    await db.close();
  });

  async function open(at: string, connectionsMax = 10): Promise<void> {
    db = await openTestPostgres(at, connectionsMax);
    [pets, keys] = [new PostgresPetStore(db), await apiKeys().openStore(db)];
  }

  /** All store calls of requests. */
  const everyCall = (): Promise<unknown>[] => [
    pets.find(1),
    pets.list({ limit: 5, status: undefined, afterId: 0 }),
    pets.list({ limit: 5, status: 'sold', afterId: 0 }),
    pets.insert(rex),
    pets.insertOnce(rex, creationRequest),
    pets.findReplay(creationRequest),
    pets.deleteExpiredKeys(1),
    keys.findByHash(Buffer.alloc(32)),
    keys.list(),
    keys.markUsed(new Map([['key_a', 1]])),
  ];

  async function expectEverythingUnavailable(cause: RegExp): Promise<void> {
    await Promise.all(everyCall().map((call) => expectUnavailable(call, cause)));
  }

  /** Fails unless the stores recover in time. */
  async function expectRecovery(): Promise<void> {
    const giveUpAt = performance.now() + promisedMs;
    for (;;) {
      const results = await Promise.allSettled(everyCall());
      const rejected = results.filter(({ status }) => status === 'rejected');
      if (rejected.length === 0) return;
      if (performance.now() >= giveUpAt) expect.fail(`Still refused: ${JSON.stringify(rejected)}`);
      await delay(20);
    }
  }

  /** Runs statements in a transaction that stays open, and waits until a call waits for its locks. */
  async function whileWaiting<T>(sql: string, call: () => Promise<T>, act: (call: Promise<T>) => unknown): Promise<T> {
    const holder = await server.connect(url);
    await holder.query(`BEGIN; ${sql}`);
    const result = call();
    const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted';
    while ((await server.query(waiting, url)).length === 0);
    await act(result);
    await holder.end();
    return result;
  }

  const terminateWaiting = () => server.query('SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted', url);
  const terminate = (where: string) =>
    server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${where}`);

  describe('rejects in time, and recovers', () => {
    afterEach(expectRecovery);

    it('if the server hangs with its connections open', async () => {
      await Promise.all(everyCall());
      server.pause();
      try {
        const creations = Array.from({ length: 50 }, () => expectUnavailable(pets.insert(rex), /timeout/));
        await Promise.all([...creations, expectEverythingUnavailable(/timeout/)]);
        // Unresponsive connections are closed, and no others are available.
        await expectEverythingUnavailable(/timeout/);
      } finally {
        server.resume();
      }
    });

    it('if the server has no free connection', async () => {
      await server.query(`ALTER DATABASE ${name} CONNECTION LIMIT 0`);
      await terminate(`datname = '${name}'`);
      await expectEverythingUnavailable(/53300/);
      await server.query(`ALTER DATABASE ${name} CONNECTION LIMIT -1`);
    });

    it('if every connection of the pool is in use', async () => {
      await db.close();
      await open(url, 1);
      const insert = () => expectUnavailable(pets.insert(rex), /57014/);
      await whileWaiting(lockIds, insert, async (rejected) => {
        await expectUnavailable(pets.find(1), /timeout exceeded when trying to connect/);
        await rejected;
      });
    });

    it('if the database is renamed, and if its role may not log in', async () => {
      await terminate(`usename = 'petstore'`);
      await server.query(`ALTER DATABASE ${name} RENAME TO away`);
      await expectEverythingUnavailable(/3D000/);
      await server.query(`ALTER DATABASE away RENAME TO ${name}; ALTER ROLE petstore NOLOGIN`);
      await expectEverythingUnavailable(/28000/);
      await server.query('ALTER ROLE petstore LOGIN');
    });

    it('if a table is missing, or the permission for it', async () => {
      await server.query('ALTER TABLE pets RENAME TO away', url);
      await expectUnavailable(pets.find(1), /42P01/);
      await server.query('ALTER TABLE away RENAME TO pets; ALTER TABLE pets OWNER TO postgres', url);
      await expectUnavailable(pets.insert(rex), /42501/);
      await server.query('ALTER TABLE pets OWNER TO petstore', url);
    });

    it('if its connections lead to a read-only server', async () => {
      await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await terminate(`datname = '${name}'`);
      // Opens several connections to a server that behaves like a standby: reads succeed, writes fail.
      await Promise.all(Array.from({ length: 10 }, () => pets.find(1)));
      await expectUnavailable(pets.insert(rex), /25006/);
      await server.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    });
  });

  it('rejects a creation whose connection is terminated, and writes nothing', async () => {
    await whileWaiting(lockIds, () => expectUnavailable(pets.insert(rex), /57P01/), terminateWaiting);
    expect(await pets.insert(rex)).to.equal(1);
  });

  it('rejects a creation whose response is lost; the retried request finds the created pet', async () => {
    const proxy = await TcpProxy.before(server.port);
    await db.close();
    await open(url.replace(`:${String(server.port)}/`, `:${String(proxy.port)}/`), 1);
    await pets.find(1);
    proxy.lossesLeft = 1;
    await expectUnavailable(pets.insertOnce(rex, creationRequest), /terminated|ECONNRESET/);
    expect(await pets.insertOnce(rex, creationRequest)).to.deep.equal({ kind: 'replayed', id: 1 });
    const { pets: all } = await pets.list({ limit: 5, status: undefined, afterId: 0 });
    expect(JSON.parse(all)).to.deep.equal([{ id: 1, ...rex }]);
  });

  it('does not report an internal error as an outage', async () => {
    await server.query('ALTER TABLE pets RENAME COLUMN name TO title', url);
    for (const call of [pets.find(1), pets.insert(rex)]) {
      const error = await errorOf(call);
      expect(error).to.be.instanceOf(DatabaseError).with.property('code', '42703');
    }
    expect(await keys.list()).to.deep.equal([]);
  });
});
