import { dirname } from 'node:path';
import { describePostgres } from '@contract-server/test-support/postgres/postgres.js';
import { PostgresServer } from '@contract-server/test-support/postgres/postgres-server.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { describeKeyedCreations } from '../pets/idempotent-creation.contract.js';
import { describePetStore, type PetStoreEngine } from '../pets/pet-store.contract.js';
import { openTestDatabase, openTestPostgres } from '../support/databases.js';

describe('SQLite', () => {
  /** Two connections to one file act as two processes: SQLite locks them in the same way. */
  const openTwice = async (directory = temporaryDirectory()) =>
    [await openTestDatabase(directory), await openTestDatabase(directory)] as const;

  async function createPetStore(directory?: string): Promise<PetStoreEngine> {
    const [db, other] = await openTwice(directory);
    const [pets, elsewhere] = [new SqlitePetStore(db), new SqlitePetStore(other)];
    const remove = (id: number) => Promise.resolve(db.prepare('DELETE FROM pets WHERE id = ?').run(id));
    const restart = () => {
      for (const open of [db, other]) open.close();
      return createPetStore(dirname(db.connection.name));
    };
    return { pets, elsewhere, remove, restart };
  }

  describePetStore(createPetStore);
  describeKeyedCreations(createPetStore);
});

describePostgres('PostgreSQL', () => {
  let server: PostgresServer;
  // Not the shared one: a transaction of another test, in any of its databases, delays the listing of pets.
  before(async () => (server = await PostgresServer.create()));
  const createUrl = () => server.createDatabase();

  /** Two pools act as two nodes. */
  async function createPetStore(url: string, connectionsMax: number): Promise<PetStoreEngine> {
    const dbs = [await openTestPostgres(url, connectionsMax), await openTestPostgres(url, connectionsMax)] as const;
    const [pets, elsewhere] = [new PostgresPetStore(dbs[0]), new PostgresPetStore(dbs[1])];
    const remove = (id: number) => server.query(`DELETE FROM pets WHERE id = ${String(id)}`, url);
    const restart = async () => {
      for (const db of dbs) await db.close();
      return createPetStore(url, connectionsMax);
    };
    return { pets, elsewhere, remove, restart };
  }

  describePetStore(async () => createPetStore(await createUrl(), 10));
  // On one connection statements run in the order in which they are sent. On several, a creation that opens the second
  // one may take longer than all transactions of a `deleteExpiredKeys` that was called before it.
  describeKeyedCreations(async () => createPetStore(await createUrl(), 1));
});
