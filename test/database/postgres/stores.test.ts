import { PostgresKeyStore } from '#src/api-keys/postgres-key-store.js';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { PostgresPetTransfer } from '#src/pets/postgres/pet-transfer.js';
import { postgresTimeouts } from '#src/service/open-stores.js';
import { describeKeyStore } from '../../api-keys/key-store.contract.js';
import { describeKeyedCreations } from '../../pets/idempotent-creation.contract.js';
import { describePetStore, type PetStoreEngine } from '../../pets/pet-store.contract.js';
import { describePetTransfer } from '../../pets/pet-transfer.contract.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';

/** Two pools act as two nodes. */
async function createPetStore(url: string, connectionsMax: number): Promise<PetStoreEngine> {
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
      await (await sharedPostgres()).query(`DELETE FROM pets WHERE id = ${String(id)}`, url);
    },
    restart: async () => {
      await close();
      return createPetStore(url, connectionsMax);
    },
  };
}

const createUrl = async () => (await sharedPostgres()).createDatabase();

describePostgres('PostgreSQL', () => {
  describePetStore(async () => createPetStore(await createUrl(), 10));
  // On one connection statements run in the order in which they are sent. On several, a creation that opens the second
  // one may take longer than all transactions of a `deleteExpiredKeys` that was called before it.
  describeKeyedCreations(async () => createPetStore(await createUrl(), 1));

  describeKeyStore(async () => {
    const url = await createUrl();
    const [db, other] = [await openTestPostgres(url), await openTestPostgres(url)];
    const close = async () => {
      await Promise.all([db.close(), other.close()]);
    };
    return { keys: new PostgresKeyStore(db), elsewhere: new PostgresKeyStore(other), close };
  });

  describePetTransfer(async () => {
    const url = await createUrl();
    // A command, next to a server.
    const [db, other] = [await openTestPostgres(url, 10, postgresTimeouts.command), await openTestPostgres(url)];
    const pets = new PostgresPetStore(other);
    const close = async () => {
      await pets.close();
      await Promise.all([db.close(), other.close()]);
    };
    return { transfer: new PostgresPetTransfer(db), pets, close };
  });
});
