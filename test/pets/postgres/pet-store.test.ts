import { execFileSync } from 'node:child_process';
import { postgresPrograms } from '@contract-server/test-support/machine/postgres-programs.js';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { PostgresServer } from '@contract-server/test-support/postgres/postgres-server.js';
import { expect } from 'chai';
import type { Statement } from 'contract-server/postgres';
import { listPets, listPetsByStatus } from '#src/pets/postgres/page-loader.js';
import { deleteExpired, PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { openTestDatabase, openTestPostgres } from '../../support/databases.js';
import { rex } from '../../support/pets.js';

const insertPets = `INSERT INTO pets SELECT n, 'Rex', n, CASE WHEN n <= 3 THEN 'sold' ELSE 'available' END
  FROM generate_series(1, 20000) AS n; ANALYZE`;
const insertKeys = `INSERT INTO idempotency_keys SELECT 'a', n, '', n, n FROM generate_series(1, 20000) AS n`;
/** The steps for each request, before the limited scan of the pets. */
const planBefore = ['Nested Loop', '->  Function Scan on request', '->  Aggregate', '->  WindowAgg', '->  Limit'];
const useTransactions = 'DO $$ BEGIN FOR n IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$';
const countFuture = 'SELECT count(*)::int FROM pets WHERE created_in >= pg_snapshot_xmax(pg_current_snapshot())';

describePostgres('pets in PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  before(async () => (server = await sharedPostgres()));
  beforeEach(async () => {
    url = await server.createDatabase();
    await openTestPostgres(url);
  });

  /**
   * The plan of a statement, without the oldest transaction, which is read once, and without the scans of subqueries,
   * where the pets that are not listed yet are removed.
   */
  async function planOf({ text }: Statement, values: string): Promise<string[]> {
    const client = await server.connect(url);
    await client.query(`PREPARE planned AS ${text}`);
    const explain = `EXPLAIN (COSTS OFF) EXECUTE planned (${values})`;
    const { rows } = await client.query<[string]>({ text: explain, rowMode: 'array' });
    await client.end();
    const others = /InitPlan|-> {2}Result|^->  Subquery Scan|^Filter: \(numbered\.created_in </;
    return rows.map(([line]) => line.trim()).filter((line) => !others.test(line));
  }

  async function expectSeeks(): Promise<void> {
    const scan = ['->  Index Scan using pets_pkey on pets', 'Index Cond: (id > request.after_id)'];
    expect(await planOf(listPets, 'ARRAY[NULL], ARRAY[0], ARRAY[20]')).to.deep.equal([...planBefore, ...scan]);
    for (const status of ['available', 'pending', 'sold', 'unheard of']) {
      expect(await planOf(listPetsByStatus, `ARRAY['${status}'], ARRAY[0], ARRAY[20]`), status).to.deep.equal([
        ...planBefore,
        '->  Index Scan using pets_by_status on pets',
        'Index Cond: ((ROW(status, id) > ROW(request.status, request.after_id)) AND (status <= request.status))',
      ]);
    }
  }

  it('are listed with an index, without scanning from the start, filtering or sorting, also after ANALYZE', async () => {
    await expectSeeks();
    for (const change of [insertPets, `DELETE FROM pets WHERE status = 'sold'; ANALYZE`]) {
      await server.query(change, url);
      await expectSeeks();
    }
  });

  it('are separate from expired idempotency keys, which are found with an index', async () => {
    for (const change of [insertKeys, 'ANALYZE']) {
      await server.query(change, url);
      expect((await planOf(deleteExpired, '20')).filter((line) => line.includes('idempotency_keys'))).to.deep.equal([
        'Delete on idempotency_keys',
        '->  Index Scan using idempotency_keys_by_expiry on idempotency_keys idempotency_keys_1',
        '->  Tid Scan on idempotency_keys',
      ]);
    }
  });

  it('have the same JSON text as in SQLite, byte for byte, for any character', async () => {
    const codes = Array.from({ length: 0x10_ffff }, (_, index) => index + 1).filter((code) => code >> 11 !== 0x1b);
    const names: string[] = [];
    for (let at = 0; at < codes.length; at += 200) names.push(String.fromCodePoint(...codes.slice(at, at + 200)));
    const texts: unknown[][] = [];
    for (const pets of [
      new SqlitePetStore(await openTestDatabase()),
      new PostgresPetStore(await openTestPostgres(url)),
    ]) {
      const ids = await Promise.all(names.map((name) => pets.insert({ name, categoryId: -1, status: 'sold' })));
      texts.push(await Promise.all(ids.map((id) => pets.find(id))));
    }
    expect(texts[0]).to.have.lengthOf(names.length).and.not.include(undefined);
    expect(texts[0]?.findIndex((text, index) => text !== texts[1]?.[index])).to.equal(-1);
  });

  it('are listed after their dump was restored into a new cluster, although their transaction ids exceed those of the cluster', async function () {
    this.timeout(60_000);
    /** Opens the database, creates pets, and returns the ids of all pets in the list. */
    const createAndList = async (at: string, count: number) => {
      const pets = new PostgresPetStore(await openTestPostgres(at));
      for (let created = 0; created < count; created += 1) await pets.insert(rex);
      const page = await pets.list({ limit: 100, status: undefined, afterId: 0 });
      return (JSON.parse(page.pets) as { id: number }[]).map(({ id }) => id);
    };
    await server.query(useTransactions, url);
    await createAndList(url, 4);
    const cluster = await PostgresServer.create();
    const target = await cluster.createDatabase();
    const dump = 'set -o pipefail; "$0/pg_dump" "$1" | "$0/psql" -q -v ON_ERROR_STOP=1 "$2"';
    execFileSync('bash', ['-c', dump, postgresPrograms ?? '', url, target], { stdio: ['ignore', 'ignore', 'inherit'] });
    expect(await cluster.query(countFuture, target)).to.deep.equal([{ count: 4 }]);
    expect(await createAndList(target, 0)).to.deep.equal([1, 2, 3, 4]);
    expect(await cluster.query(countFuture, target)).to.deep.equal([{ count: 0 }]);
    expect(await createAndList(target, 1)).to.deep.equal([1, 2, 3, 4, 5]);
    await cluster.stop();
  });
});
