import { PostgresKeyStore } from '#src/api-keys/postgres-key-store.js';
import { PostgresPetArchive } from '#src/pets/postgres/pet-archive.js';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { describeKeyStore } from '../../api-keys/key-store.contract.js';
import { describeKeyedCreations } from '../../pets/idempotent-creation.contract.js';
import { describePetArchive } from '../../pets/pet-archive.contract.js';
import { describePetStore, type PetStoreEngine } from '../../pets/pet-store.contract.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';

/** Two pools act as two nodes. */
async function createPetStore(url: string, connectionsMax: number): Promise<PetStoreEngine> {
  const server = await sharedPostgres();
  const [db, other] = [await openTestPostgres(url, connectionsMax), await openTestPostgres(url, connectionsMax)];
  const [pets, elsewhere] = [new PostgresPetStore(db), new PostgresPetStore(other)];
  const close = async () => {
    await Promise.all([pets.close(), elsewhere.close()]);
    await Promise.all([db.close(), other.close()]);
  };
  return {
    pets,
    elsewhere,
    close,
    remove: async (id) => {
      await server.query(`DELETE FROM pets WHERE id = ${String(id)}`, url);
    },
    restart: async () => {
      await close();
      return createPetStore(url, connectionsMax);
    },
  };
}

describePostgres('PostgreSQL', () => {
  const createEmptyPetStore = async (connectionsMax = 10) =>
    createPetStore(await (await sharedPostgres()).createDatabase(), connectionsMax);
  describePetStore(createEmptyPetStore);
  // On one connection statements run in the order in which they are sent. On several, a creation that opens the second
  // one may take longer than all transactions of a `deleteExpiredKeys` that was called before it.
  describeKeyedCreations(() => createEmptyPetStore(1));

  describeKeyStore(async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const [db, other] = [await openTestPostgres(url), await openTestPostgres(url)];
    const close = async () => {
      await Promise.all([db.close(), other.close()]);
    };
    return { keys: new PostgresKeyStore(db), elsewhere: new PostgresKeyStore(other), close };
  });

  describePetArchive(async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const [db, other] = [await openTestPostgres(url), await openTestPostgres(url)];
    const pets = new PostgresPetStore(other);
    const close = async () => {
      await pets.close();
      await Promise.all([db.close(), other.close()]);
    };
    return { archive: new PostgresPetArchive(db), pets, close };
  });
});
