import { expect } from 'chai';
import type { Client } from 'pg';
import { postgresTimeouts } from '#contract-server/service/postgres-engine.js';
import { describePostgres } from '#contract-server-test/support/postgres/postgres.js';
import { PostgresServer } from '#contract-server-test/support/postgres/postgres-server.js';
import { expectUnavailable } from '#contract-server-test/support/unavailable.js';
import type { ImportedPet } from '#src/pets/pet-store.js';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { PostgresPetTransfer } from '#src/pets/postgres/pet-transfer.js';
import { openTestPostgres } from '../../support/databases.js';
import { rex } from '../../support/pets.js';

/** Makes the insertion of a pet named Blocked wait for this advisory lock. */
const block = 'SELECT pg_advisory_lock(7)';
const createTrigger = `
  CREATE FUNCTION block() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NEW; END $$;
  CREATE TRIGGER block BEFORE INSERT ON pets FOR EACH ROW WHEN (NEW.name = 'Blocked') EXECUTE FUNCTION block()`;
/** An import waits for a lock, or pauses between two checks of the transactions before it. */
const countWaiting = `SELECT count(*)::int FROM pg_stat_activity
  WHERE datname = current_database() AND (wait_event_type = 'Lock' OR wait_event = 'PgSleep')`;
const insertMia = `INSERT INTO pets SELECT reserve_pet_ids(1) + 1, 'Mia', 7, 'available'`;
/** The pets whose transaction is earlier than that of a pet with a smaller id: pages would end before them too soon. */
const findUnordered = `SELECT id FROM (SELECT id, created_in < lag(created_in) OVER (ORDER BY id) AS is_earlier FROM pets)
  AS pairs WHERE is_earlier`;

const blocked = (id: number) => ({ ...rex, id, name: 'Blocked' });

describePostgres('an import with ids into PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  let pets: PostgresPetStore;
  let client: Client;
  // Not the shared one: transactions that stay open delay the listing of pets in all its databases.
  before(async () => (server = await PostgresServer.create()));
  beforeEach(async () => {
    url = await server.createDatabase();
    pets = new PostgresPetStore(await openTestPostgres(url));
    await server.query(createTrigger, url);
    client = await server.connect(url);
  });
  afterEach(() => client.end());

  async function importAll(
    batch: readonly ImportedPet[],
    lockMs: number = postgresTimeouts.command.lockMs,
  ): Promise<number> {
    const db = await openTestPostgres(url, 1, { ...postgresTimeouts.command, lockMs });
    const staging = new PostgresPetTransfer(db).startImport();
    await staging.add(batch);
    return staging.commit();
  }

  async function listedIds(): Promise<number[]> {
    const page = await pets.list({ limit: 100, status: undefined, afterId: 0 });
    return (JSON.parse(page.pets) as { id: number }[]).map(({ id }) => id);
  }

  async function untilWaiting(count: number): Promise<void> {
    while ((await server.query<{ count: number }>(countWaiting, url))[0]?.count !== count);
  }

  it('fails no creation while it moves the pets, and lists all of them in the order of their ids', async () => {
    await pets.insert(rex);
    await client.query(block);
    const importing = importAll([blocked(5), { ...rex, id: 900 }]);
    await untilWaiting(1);
    expect(await pets.insert(rex)).to.equal(901);
    expect(await listedIds()).to.deep.equal([1]);
    await client.query('SELECT pg_advisory_unlock_all()');
    expect(await importing).to.equal(2);
    expect(await listedIds()).to.deep.equal([1, 5, 900, 901]);
    expect(await pets.insert(rex)).to.equal(902);
  });

  it('waits for creations that have reserved smaller ids, and holds up no other', async () => {
    await pets.insert(rex);
    await client.query(`BEGIN; ${insertMia}`);
    await server.query(`BEGIN; ${insertMia}; ROLLBACK`, url);
    const importing = importAll([{ ...rex, id: 3 }]);
    await untilWaiting(1);
    expect(await Promise.all([pets.insert(rex), pets.insert(rex)])).to.deep.equal([4, 5]);
    expect(await listedIds()).to.deep.equal([1]);
    await client.query('COMMIT');
    expect(await importing).to.equal(1);
    expect(await listedIds()).to.deep.equal([1, 2, 3, 4, 5]);
    expect(await server.query(findUnordered, url)).to.deep.equal([]);
  });

  it('waits for an earlier import that has reserved ids around its own', async () => {
    await client.query(block);
    const first = importAll([blocked(10), blocked(30)]);
    await untilWaiting(1);
    const second = importAll([20, 40].map((id) => ({ ...rex, id })));
    await untilWaiting(2);
    await client.query('SELECT pg_advisory_unlock_all()');
    expect([await first, await second]).to.deep.equal([2, 2]);
    expect(await listedIds()).to.deep.equal([10, 20, 30, 40]);
    expect(await server.query(findUnordered, url)).to.deep.equal([]);
  });

  it('fails, and imports nothing, if creations with smaller ids take longer than its lock timeout', async () => {
    await client.query(`BEGIN; ${insertMia}`);
    await server.query(`BEGIN; ${insertMia}; ROLLBACK`, url);
    await expectUnavailable(importAll([{ ...rex, id: 2 }], 50), /55P03/);
    await client.query('COMMIT');
    expect(await listedIds()).to.deep.equal([1]);
  });
});
