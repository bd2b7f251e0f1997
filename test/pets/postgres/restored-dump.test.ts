import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { postgresPrograms } from '../../../scripts/machine/postgres-programs.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import { PostgresServer } from '../../support/postgres/postgres-server.js';

const rex = { name: 'Rex', categoryId: 7, status: 'available' } as const;
const useTransactions = 'DO $$ BEGIN FOR n IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$';
const countFuture = 'SELECT count(*)::int FROM pets WHERE created_in >= pg_snapshot_xmax(pg_current_snapshot())';

/** Opens the database, creates pets, and returns the ids of all pets in the list. */
async function createAndList(url: string, count: number): Promise<number[]> {
  const db = await openTestPostgres(url);
  const pets = new PostgresPetStore(db);
  for (let created = 0; created < count; created += 1) await pets.insert(rex);
  const page = await pets.list({ limit: 100, status: undefined, afterId: 0 });
  await pets.close();
  await db.close();
  return (JSON.parse(page.pets) as { id: number }[]).map(({ id }) => id);
}

describePostgres('a dump that is restored into a new cluster', () => {
  it('lists its pets, although their transactions are in the future, and those created later', async function () {
    this.timeout(60_000);
    const server = await sharedPostgres();
    const url = await server.createDatabase();
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
