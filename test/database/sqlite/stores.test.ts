import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { SqlitePetTransfer } from '#src/pets/sqlite/pet-transfer.js';
import { describeKeyStore } from '../../api-keys/key-store.contract.js';
import { describeKeyedCreations } from '../../pets/idempotent-creation.contract.js';
import { describePetStore, type PetStoreEngine } from '../../pets/pet-store.contract.js';
import { describePetTransfer } from '../../pets/pet-transfer.contract.js';
import { openTestDatabase } from '../../support/sqlite/database.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Two connections to one file act as two processes: SQLite locks them in the same way. */
async function openTwice(directory = temporaryDirectory()) {
  const [db, other] = [await openTestDatabase(directory), await openTestDatabase(directory)];
  const close = () => {
    db.close();
    other.close();
    return Promise.resolve();
  };
  return { db, other, close };
}

async function createPetStore(directory: string): Promise<PetStoreEngine> {
  const { db, other, close: closeFiles } = await openTwice(directory);
  const [pets, elsewhere] = [new SqlitePetStore(db), new SqlitePetStore(other)];
  const close = async () => {
    await Promise.all([pets.close(), elsewhere.close()]);
    await closeFiles();
  };
  return {
    pets,
    elsewhere,
    close,
    remove: (id) => {
      db.prepare('DELETE FROM pets WHERE id = ?').run(id);
      return Promise.resolve();
    },
    restart: async () => {
      await close();
      return createPetStore(directory);
    },
  };
}

describe('SQLite', () => {
  const createEmptyPetStore = () => createPetStore(temporaryDirectory());
  describePetStore(createEmptyPetStore);
  describeKeyedCreations(createEmptyPetStore);

  describeKeyStore(async () => {
    const { db, other, close } = await openTwice();
    return { keys: new SqliteKeyStore(db), elsewhere: new SqliteKeyStore(other), close };
  });

  describePetTransfer(async () => {
    const { db, other, close } = await openTwice();
    const pets = new SqlitePetStore(other);
    return { transfer: new SqlitePetTransfer(db), pets, close: () => pets.close().then(close) };
  });
});
