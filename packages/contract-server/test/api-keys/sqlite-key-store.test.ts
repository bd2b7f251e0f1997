import { openTestDatabase } from '@contract-server/test-support/sqlite/database.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';
import { describeKeyStore } from './key-store.contract.js';

describe('SQLite', () => {
  describeKeyStore(async () => {
    // Two connections to one file act as two processes: SQLite locks them in the same way.
    const directory = temporaryDirectory();
    const [db, other] = [await openTestDatabase(directory), await openTestDatabase(directory)];
    return { keys: new SqliteKeyStore(db), elsewhere: new SqliteKeyStore(other) };
  });
});
