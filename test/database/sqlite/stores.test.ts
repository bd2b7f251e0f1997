import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';
import { SqlitePetArchive } from '#src/pets/sqlite/pet-archive.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { describeKeyStore } from '../../api-keys/key-store.contract.js';
import { describeKeyedCreations } from '../../pets/idempotent-creation.contract.js';
import { describePetArchive } from '../../pets/pet-archive.contract.js';
import { describePetStore, type PetStoreEngine } from '../../pets/pet-store.contract.js';
import { openTestStore } from '../../support/sqlite/database.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Two connections to one file act as two processes: SQLite locks them in the same way. */
function createPetStore(directory: string): PetStoreEngine {
  const [db, other] = [openTestStore(directory), openTestStore(directory)];
  const [pets, elsewhere] = [new SqlitePetStore(db), new SqlitePetStore(other)];
  const close = async () => {
    await Promise.all([pets.close(), elsewhere.close()]);
    db.close();
    other.close();
  };
  return {
    pets,
    elsewhere,
    close,
    remove: (id) => {
      const file = new Database(join(directory, 'petstore.db'));
      file.prepare('DELETE FROM pets WHERE id = ?').run(id);
      file.close();
      return Promise.resolve();
    },
    restart: async () => {
      await close();
      return createPetStore(directory);
    },
  };
}

describe('SQLite', () => {
  const createEmptyPetStore = () => Promise.resolve(createPetStore(temporaryDirectory()));
  describePetStore(createEmptyPetStore);
  describeKeyedCreations(createEmptyPetStore);

  describeKeyStore(() => {
    const directory = temporaryDirectory();
    const [db, other] = [openTestStore(directory), openTestStore(directory)];
    const close = () => {
      db.close();
      other.close();
      return Promise.resolve();
    };
    return Promise.resolve({ keys: new SqliteKeyStore(db), elsewhere: new SqliteKeyStore(other), close });
  });

  describePetArchive(() => {
    const directory = temporaryDirectory();
    const [db, other] = [openTestStore(directory), openTestStore(directory)];
    const pets = new SqlitePetStore(other);
    const close = async () => {
      await pets.close();
      db.close();
      other.close();
    };
    return Promise.resolve({ archive: new SqlitePetArchive(db), pets, close });
  });
});
