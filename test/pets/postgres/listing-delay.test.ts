import { errorOf } from '@contract-server/test-support/error-of.js';
import { commandTimeouts, describePostgres } from '@contract-server/test-support/postgres/postgres.js';
import { PostgresServer } from '@contract-server/test-support/postgres/postgres-server.js';
import { expectUnavailable } from '@contract-server/test-support/unavailable.js';
import { expect } from 'chai';
import type { Client } from 'pg';
import type { PetStatus } from '#src/pets/pet-store.js';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { lockIds, openTestPostgres } from '../../support/databases.js';
import { creationRequest, rex } from '../../support/pets.js';

const insertMia = `INSERT INTO pets SELECT reserve_pet_ids(1) + 1, 'Mia', 7, 'available'`;
/** The advisory locks of the database, and whether each is granted. */
const findLocks = `SELECT granted FROM pg_locks JOIN pg_database ON pg_database.oid = database
  WHERE locktype = 'advisory' AND datname = current_database()`;

async function idsAfter(pets: PostgresPetStore, afterId: number, status?: PetStatus): Promise<number[]> {
  const page = await pets.list({ limit: 100, status, afterId });
  return (JSON.parse(page.pets) as { id: number }[]).map(({ id }) => id);
}

describePostgres('the order of creations on several nodes', () => {
  let server: PostgresServer;
  let url: string;
  let nodes: PostgresPetStore[];
  let pets: PostgresPetStore;
  let delays: number[];
  // Not the shared one: transactions that stay open delay the listing of pets in all its databases.
  before(async () => (server = await PostgresServer.create()));
  beforeEach(async () => {
    url = await server.createDatabase();
    delays = [];
    // Each pool acts as a node.
    const dbs = await Promise.all([1, 2, 3, 4].map(() => openTestPostgres(url)));
    const listingDelay = { observe: (seconds: number) => delays.push(seconds) };
    nodes = dbs.map((one) => new PostgresPetStore(one, { listingDelay }));
    pets = nodes[0] as PostgresPetStore;
  });

  /** Begins a transaction that has reserved an id, and ends it with a statement. */
  async function beginSlow(): Promise<(end: string) => Promise<unknown>> {
    const slow = await server.connect(url);
    await slow.query(`BEGIN; ${insertMia}`);
    return (end) => slow.query(end).then(() => slow.end());
  }

  /** Creates pets in slow transactions, every third of which is rolled back. Resolves with the number of the others. */
  async function createSlowly(isDone: () => boolean): Promise<number> {
    const client = await server.connect(url);
    let count = 0;
    for (let round = 0; !isDone(); round += 1) {
      await client.query(`BEGIN; ${insertMia}`);
      for (let time = 0; time < 20; time += 1) await client.query('SELECT 1');
      await client.query(round % 3 === 2 ? 'ROLLBACK' : 'COMMIT');
      if (round % 3 !== 2) count += 1;
    }
    await client.end();
    return count;
  }

  for (const status of [undefined, 'available'] as const)
    it(`lets a concurrent pagination ${status === undefined ? '' : 'by status '}miss no pet`, async function () {
      this.timeout(30_000);
      const writing = { isDone: false };
      const isDone = () => writing.isDone;
      const creating = nodes.map(async (node) => {
        for (let count = 0; count < 400; count += 4) await Promise.all([1, 2, 3, 4].map(() => node.insert(rex)));
        return 400;
      });
      const created = Promise.all(creating).finally(() => (writing.isDone = true));
      const others = [createSlowly, createSlowly].map((create) => create(isDone));
      const seen: number[] = [];
      const read = async () => {
        for (let ids = [0]; ids.length > 0; seen.push(...ids)) ids = await idsAfter(pets, seen.at(-1) ?? 0, status);
      };
      while (!isDone()) await read();
      const counts = [...(await created), ...(await Promise.all(others))];
      await read();
      const stored = await server.query<{ id: string }>('SELECT id FROM pets ORDER BY id', url);
      expect(stored).to.have.lengthOf(counts.reduce((sum, count) => sum + count));
      expect(seen).to.deep.equal(stored.map(({ id }) => Number(id)));
    });

  it('assigns greater ids to later creations, whichever node creates them', async () => {
    const ids: number[] = [];
    for (let round = 0; round < 25; round += 1) for (const node of nodes) ids.push(await node.insert(rex));
    expect(ids).to.deep.equal(ids.map((_, index) => index + 1));
    expect(Math.max(...delays)).to.be.below(1);
  });

  it('creates pets while another creation is not committed, and lists them after it', async () => {
    const end = await beginSlow();
    expect(await pets.insert(rex)).to.equal(2);
    // The response was delayed until the timeout.
    expect(delays).to.have.lengthOf(1);
    expect(delays[0]).to.be.within(0.9, 1.9);
    expect(await pets.find(2)).to.be.a('string');
    for (const status of [undefined, 'available'] as const) expect(await idsAfter(pets, 0, status)).to.deep.equal([]);
    const third = pets.insert(rex);
    await end('COMMIT');
    expect(await third).to.equal(3);
    expect(await idsAfter(pets, 0)).to.deep.equal([1, 2, 3]);
    expect(delays[1]).to.be.below(1);
  });

  it('ends a page, and the list, before a pet that is not listed', async () => {
    for (let count = 0; count < 3; count += 1) await pets.insert(rex);
    const end = await beginSlow();
    await pets.insert(rex);
    const lastIdOf = async (limit: number) => (await pets.list({ status: undefined, afterId: 0, limit })).lastId;
    expect([await lastIdOf(2), await lastIdOf(3), await lastIdOf(4)]).to.deep.equal([2, undefined, undefined]);
    await end('ROLLBACK');
    expect(await lastIdOf(3)).to.equal(3);
  });

  describe('holds no lock, and lists pets,', () => {
    const locks = () => server.query<{ granted: boolean }>(findLocks, url);

    /** Terminates a connection before it commits. */
    async function terminate(client: Client): Promise<void> {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const pid = String(rows[0]?.pid);
      await server.query(`SELECT pg_terminate_backend(${pid})`);
      while ((await server.query(`SELECT FROM pg_stat_activity WHERE pid = ${pid}`)).length > 0);
    }

    async function expectCreations(id: number): Promise<void> {
      while ((await locks()).length > 0);
      expect(await pets.insert(rex)).to.equal(id);
      expect(await idsAfter(pets, 0)).to.include(id);
    }

    it('after a writer is killed between the reservation of ids and the commit', async () => {
      const writer = await server.connect(url);
      await writer.query(`BEGIN; ${insertMia}`);
      expect(await locks()).to.deep.equal([]);
      await terminate(writer);
      await expectCreations(2);
    });

    it('after a writer is killed while it holds the lock, and while it waits for it', async () => {
      const holder = await server.connect(url);
      await holder.query(`BEGIN; ${lockIds}`);
      const waiting = expectUnavailable((nodes[1] as PostgresPetStore).insert(rex), /57P01/);
      while ((await locks()).every(({ granted }) => granted));
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

    it('after an error while ids are reserved, or of a creation that cannot be stored', async () => {
      expect(await errorOf(pets.insert({ ...rex, categoryId: 2n ** 63n }))).to.be.instanceOf(Error);
      await server.query('ALTER SEQUENCE pet_ids MAXVALUE 2', url);
      expect([await pets.insert(rex), await pets.insert(rex)]).to.deep.equal([1, 2]);
      await expectUnavailable(pets.insert(rex), /2200H/);
      expect(await locks()).to.deep.equal([]);
      await server.query('ALTER SEQUENCE pet_ids MAXVALUE 1000', url);
      await expectCreations(3);
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
    const create = (node: PostgresPetStore) => (key: string) => node.insertOnce(rex, { ...creationRequest, key });
    // Without the deadline of a server, which a busy machine can miss.
    const patient = await Promise.all(nodes.map(() => openTestPostgres(url, 10, commandTimeouts)));
    const results = await Promise.all(
      patient
        .map((one) => new PostgresPetStore(one))
        .flatMap((node, index) => (index % 2 === 0 ? keys : keys.toReversed()).map(create(node))),
    );
    expect(results.filter(({ kind }) => kind === 'created')).to.have.lengthOf(keys.length);
    expect(new Set(results.map(({ id }) => id)).size).to.equal(keys.length);
    expect(server.log).to.not.contain('deadlock detected');
  });
});
