import { expect } from 'chai';
import type { PostgresDatabase, Statement } from '#src/database/postgres/database.js';
import type { NewPet } from '#src/pets/pet.js';
import type { PetArchive } from '#src/pets/pet-store.js';
import { PostgresPetArchive } from '#src/pets/postgres/pet-archive.js';
import { deleteExpired, list, listByStatus, PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { idLockKey } from '#src/pets/postgres/reserve-ids.js';
import { SqlitePetArchive } from '#src/pets/sqlite/pet-archive.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import type { PostgresServer } from '../../support/postgres/postgres-server.js';
import { openTestStore } from '../../support/sqlite/database.js';

const rex: NewPet = { name: 'Rex', categoryId: 7, status: 'available' };

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
      const session = await db.session();
      await session.run({ name: 'prepare', text: `PREPARE planned AS ${text}` });
      const rows = await session.run<[string]>({
        name: 'explain',
        text: `EXPLAIN (COSTS OFF) EXECUTE planned (${values})`,
      });
      session.end();
      return rows.map(([line]) => line);
    }

    async function expectSeeks(): Promise<void> {
      expect(await planOf(list, '0, 21')).to.deep.equal([
        'Limit',
        '  ->  Index Scan using pets_pkey on pets',
        '        Index Cond: (id > $1)',
      ]);
      for (const status of ['available', 'pending', 'sold', 'unheard of']) {
        expect(await planOf(listByStatus, `'${status}', 0, 21`), status).to.deep.equal([
          'Limit',
          '  ->  Index Scan using pets_by_status on pets',
          '        Index Cond: ((ROW(status, id) > ROW($1, $2)) AND (status <= $1))',
        ]);
      }
    }

    it('while there are no pets', expectSeeks);

    it('after ANALYZE, if nearly all or all pets have the same status', async () => {
      await server.query(
        `INSERT INTO pets SELECT n, 'Rex', n, CASE WHEN n <= 3 THEN 'sold' ELSE 'available' END FROM generate_series(1, 20000) AS n; ANALYZE`,
        url,
      );
      await expectSeeks();
      await server.query(`DELETE FROM pets WHERE status = 'sold'; ANALYZE`, url);
      await expectSeeks();
    });

    it('finds expired idempotency keys with an index', async () => {
      for (const change of [
        '',
        `INSERT INTO idempotency_keys SELECT 'a', n, '', n, n, n FROM generate_series(1, 20000) AS n; ANALYZE`,
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

  it('shows no pet before those with smaller ids: reserving ids waits for the commit of earlier ones', async () => {
    const pets = new PostgresPetStore(db);
    const other = await server.connect(url);
    await other.query(`
      BEGIN;
      SELECT pg_advisory_xact_lock(${String(idLockKey)});
      INSERT INTO pets VALUES (nextval('pet_ids'), 'Mia', 1, 'sold')`);
    const inserted = pets.insert(rex);
    const isWaiting = async () => {
      const [row] = await server.query<{ count: string }>('SELECT count(*) FROM pg_locks WHERE NOT granted', url);
      return row?.count !== '0';
    };
    while (!(await isWaiting()));
    expect(await pets.list({ limit: 5, status: undefined, afterId: 0 })).to.deep.equal({
      pets: '[]',
      lastId: undefined,
    });
    await other.query('COMMIT');
    await other.end();
    expect(await inserted).to.equal(2);
    await pets.close();
  });

  it('returns the same JSON text for a pet as SQLite, byte for byte, for any character', async () => {
    const embedded = openTestStore();
    const pets = [...everyCharacter(200)].map((name, index) => ({ name, categoryId: -index, status: 'sold' as const }));
    const texts = await Promise.all(
      [new SqlitePetArchive(embedded), new PostgresPetArchive(db)].map(async (archive: PetArchive) => {
        const staging = archive.stage();
        await staging.add(pets);
        await staging.commit();
        const lines: string[] = [];
        for await (const text of archive.exportAll()) lines.push(text);
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
