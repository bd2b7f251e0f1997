import { expect } from 'chai';
import type { Client } from 'pg';
import type { PostgresDatabase } from '#src/database/postgres/database.js';
import type { NewPet, PetStatus } from '#src/pets/pet.js';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { PostgresPetTransfer } from '#src/pets/postgres/pet-transfer.js';
import { errorOf } from '../../support/error-of.js';
import { describePostgres, lockIds, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import type { PostgresServer } from '../../support/postgres/postgres-server.js';
import { expectUnavailable } from '../../support/unavailable.js';

const rex: NewPet = { name: 'Rex', categoryId: 7, status: 'available' };
const insertMia = `INSERT INTO pets SELECT reserve_pet_ids(1) + 1, 'Mia', 7, 'available'`;
const nodeCount = 4;

async function idsAfter(pets: PostgresPetStore, afterId: number, status?: PetStatus): Promise<number[]> {
  const page = await pets.list({ limit: 100, status, afterId });
  return (JSON.parse(page.pets) as { id: number }[]).map(({ id }) => id);
}

describePostgres('the order of creations on several nodes', () => {
  let server: PostgresServer;
  let url: string;
  let dbs: PostgresDatabase[];
  let nodes: PostgresPetStore[];
  let pets: PostgresPetStore;
  let delays: number[];
  before(async () => {
    server = await sharedPostgres();
  });
  beforeEach(async () => {
    url = await server.createDatabase();
    await open();
  });
  afterEach(close);

  /** Each pool acts as a node. */
  async function open(): Promise<void> {
    delays = [];
    dbs = await Promise.all(Array.from({ length: nodeCount }, () => openTestPostgres(url)));

    nodes = dbs.map((db) => new PostgresPetStore(db, { onListed: (seconds) => delays.push(seconds) }));
    pets = nodes[0] as PostgresPetStore;
  }

  async function close(): Promise<void> {
    for (const node of nodes) await node.close();
    for (const db of dbs) await db.close();
  }

  async function advisoryLocks(): Promise<unknown[]> {
    return server.query(
      `SELECT granted FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE locktype = 'advisory' AND datname = current_database()`,
      url,
    );
  }

  /** Creates pets in slow transactions, every third of which is rolled back. */
  async function createSlowly(isDone: () => boolean): Promise<number[]> {
    const client = await server.connect(url);
    const ids: number[] = [];
    for (let round = 0; !isDone(); round += 1) {
      const { rows } = await client.query<{ id: string }>(`BEGIN; ${insertMia} RETURNING id`).then(lastOf);
      for (let time = 0; time < 20; time += 1) await client.query('SELECT 1');
      await client.query(round % 3 === 2 ? 'ROLLBACK' : 'COMMIT');
      if (round % 3 !== 2) ids.push(Number(rows[0]?.id));
    }
    await client.end();
    return ids;
  }

  /** Imports pets, which get ids. */
  async function importRepeatedly(db: PostgresDatabase, isDone: () => boolean): Promise<number> {
    for (let count = 0; ; ) {
      if (isDone()) return count;
      const staging = new PostgresPetTransfer(db).startImport();
      await staging.add(Array.from({ length: 50 }, () => rex));
      count += await staging.commit();
    }
  }

  for (const status of [undefined, 'available'] as const) {
    it(`lets a concurrent pagination ${status === undefined ? '' : 'by status '}miss no pet`, async function () {
      this.timeout(30_000);
      const writing = { isDone: false };
      const isDone = () => writing.isDone;
      const creating = nodes.map(async (node) => {
        const ids: number[] = [];
        while (ids.length < 400) ids.push(...(await Promise.all([1, 2, 3, 4].map(() => node.insert(rex)))));
        return ids;
      });
      const created = Promise.all(creating).finally(() => (writing.isDone = true));
      const others = Promise.all([
        createSlowly(isDone),
        createSlowly(isDone),
        importRepeatedly(dbs[1] as PostgresDatabase, isDone),
      ]);
      const seen: number[] = [];
      const read = async () => {
        for (;;) {
          const ids = await idsAfter(pets, seen.at(-1) ?? 0, status);
          if (ids.length === 0) return;
          seen.push(...ids);
        }
      };
      while (!isDone()) await read();
      const ids = (await created).flat();
      const [one, other, importedCount] = await others;
      await read();
      const stored = await server.query<{ id: string }>('SELECT id FROM pets ORDER BY id', url);
      expect(stored).to.have.lengthOf(ids.length + one.length + other.length + importedCount);
      expect(seen).to.deep.equal(stored.map(({ id }) => Number(id)));
      expect(seen).to.include.members([...ids, ...one, ...other]);
    });
  }

  it('assigns greater ids to later creations, whichever node creates them', async () => {
    const ids: number[] = [];
    for (let round = 0; round < 25; round += 1) for (const node of nodes) ids.push(await node.insert(rex));
    expect(ids).to.deep.equal(ids.map((_, index) => index + 1));
    expect(Math.max(...delays)).to.be.below(1);
  });

  it('creates pets while another creation is not committed, and lists them after it', async () => {
    const slow = await server.connect(url);
    await slow.query(`BEGIN; ${insertMia}`);
    expect(await pets.insert(rex)).to.equal(2);
    // The response was delayed until the timeout.
    expect(delays).to.have.lengthOf(1);
    expect(delays[0]).to.be.within(0.9, 1.9);
    expect(await pets.find(2)).to.be.a('string');
    expect(await idsAfter(pets, 0)).to.deep.equal([]);
    expect(await idsAfter(pets, 0, 'available')).to.deep.equal([]);
    const third = pets.insert(rex);
    await slow.query('COMMIT');
    await slow.end();
    expect(await third).to.equal(3);
    expect(await idsAfter(pets, 0)).to.deep.equal([1, 2, 3]);
    expect(delays[1]).to.be.below(1);
  });

  it('ends a page, and the list, before a pet that is not listed', async () => {
    for (let count = 0; count < 3; count += 1) await pets.insert(rex);
    const slow = await server.connect(url);
    await slow.query(`BEGIN; ${insertMia}`);
    await pets.insert(rex);
    const page = { status: undefined, afterId: 0 };
    expect((await pets.list({ ...page, limit: 2 })).lastId).to.equal(2);
    for (const limit of [3, 4]) expect((await pets.list({ ...page, limit })).lastId, String(limit)).to.equal(undefined);
    await slow.query('ROLLBACK');
    await slow.end();
    expect((await pets.list({ ...page, limit: 3 })).lastId).to.equal(3);
  });

  it('lists an imported pet with an id between others after its predecessor', async () => {
    await pets.insert(rex);
    const slow = await server.connect();
    await slow.query('BEGIN; SELECT pg_current_xact_id()');
    await pets.insert(rex);
    await server.query(`BEGIN; ${insertMia}; ROLLBACK`, url);
    await pets.insert(rex);
    const staging = new PostgresPetTransfer(dbs[1] as PostgresDatabase).startImport();
    await staging.add([{ ...rex, id: 3 }]);
    await staging.commit();
    expect(await idsAfter(pets, 0)).to.deep.equal([1]);
    await slow.query('ROLLBACK');
    await slow.end();
    expect(await idsAfter(pets, 0)).to.deep.equal([1, 2, 3, 4]);
  });

  describe('holds no lock, and lists pets,', () => {
    async function waiters(): Promise<number> {
      return (await advisoryLocks()).filter((lock) => !(lock as { granted: boolean }).granted).length;
    }

    /** Runs a statement on a connection, and terminates the connection before it commits. */
    async function terminate(client: Client): Promise<void> {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await server.query(`SELECT pg_terminate_backend(${String(rows[0]?.pid)})`);
      while ((await server.query(`SELECT FROM pg_stat_activity WHERE pid = ${String(rows[0]?.pid)}`)).length > 0);
    }

    async function expectCreations(id: number): Promise<void> {
      while ((await advisoryLocks()).length > 0);
      expect(await pets.insert(rex)).to.equal(id);
      expect(await idsAfter(pets, 0)).to.include(id);
    }

    it('after a writer is killed between the reservation of ids and the commit', async () => {
      const writer = await server.connect(url);
      await writer.query(`BEGIN; ${insertMia}`);
      expect(await advisoryLocks()).to.deep.equal([]);
      await terminate(writer);
      await expectCreations(2);
    });

    it('after a writer is killed while it holds the lock, and while it waits for it', async () => {
      const holder = await server.connect(url);
      await holder.query(`BEGIN; ${lockIds}`);
      const waiting = expectUnavailable((nodes[1] as PostgresPetStore).insert(rex), /57P01/);
      while ((await waiters()) === 0);
      await server.query('SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted', url);
      await waiting;
      await terminate(holder);
      await expectCreations(1);
    });

    it('after the statement timeout', async () => {
      const holder = await server.connect(url);
      await holder.query(`BEGIN; ${lockIds}`);
      await expectUnavailable(pets.insert(rex), /57014/);
      await holder.end();
      await expectCreations(1);
    });

    it('after an error while ids are reserved', async () => {
      await server.query('ALTER SEQUENCE pet_ids MAXVALUE 2', url);
      expect([await pets.insert(rex), await pets.insert(rex)]).to.deep.equal([1, 2]);
      await expectUnavailable(pets.insert(rex), /2200H/);
      expect(await advisoryLocks()).to.deep.equal([]);
      await server.query('ALTER SEQUENCE pet_ids MAXVALUE 1000', url);
      await expectCreations(3);
    });

    it('after a creation that cannot be stored', async () => {
      expect(await errorOf(pets.insert({ ...rex, categoryId: 2n ** 63n }))).to.be.instanceOf(Error);
      await expectCreations(1);
    });
  });

  it('rejects a transaction that has written before it reserves ids', async () => {
    const client = await server.connect(url);
    await client.query(`BEGIN; INSERT INTO quotas VALUES ('quota_a', 'free')`);
    expect(await errorOf(client.query('SELECT reserve_pet_ids(1)'))).to.match(/before the transaction writes/);
    await client.end();
  });

  it('never deadlocks when nodes use the same idempotency keys in different orders', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `key ${String(index)}`);
    const requestOf = (key: string) => ({ quotaId: 'a', key, bodyDigest: Buffer.alloc(32), sentAt: 1, expiresAt: 9 });
    const results = await Promise.all(
      nodes.flatMap((node, index) =>
        (index % 2 === 0 ? keys : keys.toReversed()).map((key) => node.insertOnce(rex, requestOf(key))),
      ),
    );
    expect(results.filter(({ kind }) => kind === 'created')).to.have.lengthOf(keys.length);
    expect(new Set(results.map(({ id }) => id)).size).to.equal(keys.length);
    expect(server.log).to.not.contain('deadlock detected');
  });
});

/** The result of the last of several statements. */
function lastOf<Result>(results: Result): Result {
  return Array.isArray(results) ? (results.at(-1) as Result) : results;
}
