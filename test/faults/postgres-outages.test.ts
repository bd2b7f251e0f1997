import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Client } from 'pg';
import { DatabaseError } from 'pg';
import { PostgresKeyStore } from '#src/api-keys/postgres-key-store.js';
import type { PostgresDatabase } from '#src/database/postgres/database.js';
import type { PetStore } from '#src/pets/pet-store.js';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { PostgresPetTransfer } from '#src/pets/postgres/pet-transfer.js';
import { errorOf } from '../support/error-of.js';
import { creationRequest, rex } from '../support/pets.js';
import { describePostgres, lockIds, openTestPostgres, sharedPostgres } from '../support/postgres/postgres.js';
import type { PostgresServer } from '../support/postgres/postgres-server.js';
import { TruncatingProxy } from '../support/servers/truncating-proxy.js';
import { expectUnavailable, promisedMs } from '../support/unavailable.js';

describePostgres('PostgreSQL outages', () => {
  let server: PostgresServer;
  let url: string;
  let db: PostgresDatabase;
  let pets: PostgresPetStore;
  let keys: PostgresKeyStore;
  before(async () => {
    server = await sharedPostgres();
  });
  beforeEach(async () => {
    url = await server.createDatabase();
    await open(url);
  });
  afterEach(async () => {
    await pets.close();
    await db.close();
  });

  async function open(at: string, connectionsMax = 10): Promise<void> {
    db = await openTestPostgres(at, connectionsMax);
    [pets, keys] = [new PostgresPetStore(db), new PostgresKeyStore(db)];
  }

  /** All store calls of requests. */
  function everyCall(): Promise<unknown>[] {
    return [
      pets.find(1),
      pets.list({ limit: 5, status: undefined, afterId: 0 }),
      pets.list({ limit: 5, status: 'sold', afterId: 0 }),
      pets.insert(rex),
      pets.insertOnce(rex, creationRequest),
      pets.findReplay(creationRequest),
      pets.deleteExpiredKeys(1),
      keys.findByHash(Buffer.alloc(32)),
      keys.exportAll(),
      keys.markUsed(new Map([['key_a', 1]])),
      bringIn(),
      new PostgresPetTransfer(db).exportAll()[Symbol.asyncIterator]().next(),
    ];
  }

  async function bringIn(): Promise<void> {
    const staging = new PostgresPetTransfer(db).startImport();
    await staging.add([rex]);
    await staging.commit();
  }

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

  /** Holds the ids until it is ended: every creation waits. */
  async function holdIds(): Promise<Client> {
    const client = await server.connect(url);
    await client.query(`BEGIN; ${lockIds}`);
    return client;
  }

  async function waiters(): Promise<number> {
    const [row] = await server.query<{ count: string }>('SELECT count(*) FROM pg_locks WHERE NOT granted', url);
    return Number(row?.count);
  }

  describe('rejects in time, and recovers', () => {
    it('if the server is stopped and started', async () => {
      await server.stop();
      await expectEverythingUnavailable(/ECONNREFUSED/);
      await server.start();
      await expectRecovery();
    });

    it('if the server is restarted between two requests', async () => {
      await Promise.all(everyCall());
      await server.stop();
      await server.start();
      await expectRecovery();
    });

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
      await expectRecovery();
    });

    it('if the server crashes', async () => {
      const id = await pets.insert(rex);
      await server.crash();
      await expectEverythingUnavailable(/ECONNREFUSED|terminated|ECONNRESET/);
      await server.start();
      await expectRecovery();
      expect(await pets.find(id)).to.be.a('string');
    });

    it('if the server has no free connection', async () => {
      const [database] = await server.query<{ name: string }>('SELECT current_database() AS name', url);
      const name = String(database?.name);
      await server.query(
        `ALTER DATABASE ${name} CONNECTION LIMIT 0; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ` +
          `datname = '${name}'`,
      );
      await expectEverythingUnavailable(/53300/);
      await server.query(`ALTER DATABASE ${name} CONNECTION LIMIT -1`);
      await expectRecovery();
    });

    it('if every connection of the pool is in use', async () => {
      await db.close();
      await open(url, 1);
      const holder = await holdIds();
      const creation = expectUnavailable(pets.insert(rex), /57014/);
      while ((await waiters()) === 0);
      await expectUnavailable(pets.find(1), /timeout exceeded when trying to connect/);
      await creation;
      await holder.end();
      await expectRecovery();
    });

    it('if the database is renamed, and if its password is changed', async () => {
      const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'petstore'`;
      const name = new URL(url).pathname.slice(1);
      await server.query(terminate);
      await server.query(`ALTER DATABASE ${name} RENAME TO away`);
      await expectEverythingUnavailable(/3D000/);
      await server.query(`ALTER DATABASE away RENAME TO ${name}; ALTER ROLE petstore NOLOGIN`);
      await expectEverythingUnavailable(/28000/);
      await server.query('ALTER ROLE petstore LOGIN');
      await expectRecovery();
    });

    it('if a table is missing, or the permission for it', async () => {
      await server.query('ALTER TABLE pets RENAME TO away', url);
      await expectUnavailable(pets.find(1), /42P01/);
      await server.query('ALTER TABLE away RENAME TO pets; ALTER TABLE pets OWNER TO postgres', url);
      await expectUnavailable(pets.insert(rex), /42501/);
      await server.query('ALTER TABLE pets OWNER TO petstore', url);
      await expectRecovery();
    });
  });

  it('rejects a creation whose connection is terminated, and writes nothing', async () => {
    const holder = await holdIds();
    const rejected = expectUnavailable(pets.insert(rex), /57P01/);
    while ((await waiters()) === 0);
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted`, url);
    await rejected;
    await holder.end();
    expect(await pets.insert(rex)).to.equal(1);
  });

  it('retries a read whose connection is terminated', async () => {
    await pets.insert(rex);
    const holder = await server.connect(url);
    await holder.query('BEGIN; LOCK TABLE pets IN ACCESS EXCLUSIVE MODE');
    const found = pets.find(1);
    while ((await waiters()) === 0);
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted`, url);
    await holder.end();
    expect(await found).to.be.a('string');
  });

  it('uses a writable server as soon as there is one, although its connections led to a read-only one', async () => {
    const name = new URL(url).pathname.slice(1);
    await server.query(
      `ALTER DATABASE ${name} SET default_transaction_read_only = on; SELECT pg_terminate_backend(pid) FROM ` +
        `pg_stat_activity WHERE datname = '${name}'`,
    );
    // Opens several connections to a server that behaves like a standby: reads succeed, writes fail.
    await Promise.all(Array.from({ length: 10 }, () => pets.find(1)));
    await expectUnavailable(pets.insert(rex), /25006/);
    await server.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await expectRecovery();
  });

  it('rejects a creation whose response is lost; the retried request finds the created pet', async () => {
    const cutter = await TruncatingProxy.before(server.port);
    const beside = new URL(url);
    beside.port = String(cutter.port);
    const far = await openTestPostgres(beside.href, 1);
    const farPets: PetStore & { close(): Promise<void> } = new PostgresPetStore(far);
    await farPets.find(1);
    cutter.cutsLeft = 1;
    await expectUnavailable(farPets.insertOnce(rex, creationRequest), /terminated|ECONNRESET/);
    expect(await farPets.insertOnce(rex, creationRequest)).to.deep.equal({ kind: 'replayed', id: 1 });
    const { pets: all } = await pets.list({ limit: 5, status: undefined, afterId: 0 });
    expect(JSON.parse(all)).to.deep.equal([{ id: 1, ...rex }]);
    await farPets.close();
    await far.close();
    cutter.close();
  });

  it('does not report an internal error as an outage', async () => {
    await server.query('ALTER TABLE pets RENAME COLUMN name TO title', url);
    expect(await errorOf(pets.find(1)))
      .to.be.instanceOf(DatabaseError)
      .with.property('code', '42703');
    expect(await errorOf(pets.insert(rex)))
      .to.be.instanceOf(DatabaseError)
      .with.property('code', '42703');
    expect(await keys.exportAll()).to.deep.equal([]);
  });

  it('closes quickly even if the server hangs', async () => {
    await Promise.all(everyCall());
    server.pause();
    const startedAt = performance.now();
    await db.close();
    expect(performance.now() - startedAt).to.be.below(promisedMs);
    server.resume();
    await open(url);
  });
});
