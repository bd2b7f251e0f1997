import { expect } from 'chai';
import { Client } from 'pg';
import type { PostgresDatabase, Statement } from '#src/database/postgres/database.js';
import type { PetTransfer } from '#src/pets/pet-store.js';
import { listPets, listPetsByStatus } from '#src/pets/postgres/page-loader.js';
import { deleteExpired } from '#src/pets/postgres/pet-store.js';
import { PostgresPetTransfer } from '#src/pets/postgres/pet-transfer.js';
import { SqlitePetTransfer } from '#src/pets/sqlite/pet-transfer.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import type { PostgresServer } from '../../support/postgres/postgres-server.js';
import { openTestDatabase } from '../../support/sqlite/database.js';

describePostgres('pets in PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  let db: PostgresDatabase;
  before(async () => {
    server = await sharedPostgres();
  });
  beforeEach(async () => {
    url = await server.createDatabase();
    db = await openTestPostgres(url);
  });
  afterEach(() => db.close());

  describe('lists pets with an index, without scanning from the start, filtering or sorting', () => {
    async function planOf({ text }: Statement, values: string): Promise<string[]> {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(`PREPARE planned AS ${text}`);
      const { rows } = await client.query<[string]>({
        text: `EXPLAIN (COSTS OFF) EXECUTE planned (${values})`,
        rowMode: 'array',
      });
      await client.end();
      // The oldest transaction is read once.
      return rows.map(([line]) => line).filter((line) => !/InitPlan|-> {2}Result/.test(line));
    }

    async function expectSeeks(): Promise<void> {
      expect(await planOfPages(listPets, 'ARRAY[NULL], ARRAY[0], ARRAY[20]')).to.deep.equal([
        ...planBefore,
        '->  Index Scan using pets_pkey on pets',
        'Index Cond: (id > request.after_id)',
      ]);
      for (const status of ['available', 'pending', 'sold', 'unheard of']) {
        const values = `ARRAY['${status}'], ARRAY[0], ARRAY[20]`;
        expect(await planOfPages(listPetsByStatus, values), status).to.deep.equal([
          ...planBefore,
          '->  Index Scan using pets_by_status on pets',
          'Index Cond: ((ROW(status, id) > ROW(request.status, request.after_id)) AND (status <= request.status))',
        ]);
      }
    }

    /** The steps for each request, before the limited scan of the pets. */
    const planBefore = ['Nested Loop', '->  Function Scan on request', '->  Aggregate', '->  WindowAgg', '->  Limit'];

    /** Without the scans of subqueries, where the pets that are not listed yet are removed. */
    async function planOfPages(statement: Statement, values: string): Promise<string[]> {
      const lines = (await planOf(statement, values)).map((line) => line.trim());
      return lines.filter((line) => !/^->  Subquery Scan|^Filter: \(numbered\.created_in </.test(line));
    }

    it('while there are no pets', expectSeeks);

    it('after ANALYZE, if nearly all or all pets have the same status', async () => {
      await server.query(
        `INSERT INTO pets SELECT n, 'Rex', n, CASE WHEN n <= 3 THEN 'sold' ELSE 'available' END FROM ` +
          'generate_series(1, 20000) AS n; ANALYZE',
        url,
      );
      await expectSeeks();
      await server.query(`DELETE FROM pets WHERE status = 'sold'; ANALYZE`, url);
      await expectSeeks();
    });

    it('finds expired idempotency keys with an index', async () => {
      for (const change of [
        `INSERT INTO idempotency_keys SELECT 'a', n, '', n, n FROM generate_series(1, 20000) AS n`,
        'ANALYZE',
      ]) {
        await server.query(change, url);
        expect((await planOf(deleteExpired, '20')).filter((line) => line.includes('idempotency_keys'))).to.deep.equal([
          '    ->  Delete on idempotency_keys idempotency_keys_1',
          '                        ->  Index Scan using idempotency_keys_by_expiry on idempotency_keys',
          '          ->  Tid Scan on idempotency_keys idempotency_keys_1',
        ]);
      }
    });
  });

  it('returns the same JSON text for a pet as SQLite, byte for byte, for any character', async () => {
    const embedded = await openTestDatabase();
    const pets = [...everyCharacter(200)].map((name, index) => ({ name, categoryId: -index, status: 'sold' as const }));
    const texts = await Promise.all(
      [new SqlitePetTransfer(embedded), new PostgresPetTransfer(db)].map(async (transfer: PetTransfer) => {
        const staging = transfer.startImport();
        await staging.add(pets);
        await staging.commit();
        const lines: string[] = [];
        for await (const text of transfer.exportAll()) lines.push(text);
        return lines;
      }),
    );
    expect(texts[0]).to.have.lengthOf(pets.length);
    expect(texts[0]?.findIndex((text, index) => text !== texts[1]?.[index])).to.equal(-1);
    embedded.close();
  });
});

/** All of Unicode except U+0000 and surrogates, in blocks of characters. */
function* everyCharacter(length: number): Generator<string> {
  let text = '';
  for (let code = 1; code <= 0x10ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    text += String.fromCodePoint(code);
    if (code % length !== 0) continue;
    yield text;
    text = '';
  }
  yield text;
}
