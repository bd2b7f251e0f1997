import { dirname } from 'node:path';
import { whileLocked } from '@contract-server/test-support/fault-injection.js';
import { openTestDatabase } from '@contract-server/test-support/sqlite/database.js';
import { expectUnavailable } from '@contract-server/test-support/unavailable.js';
import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';

describe('SQLite outages', () => {
  it('reject a change of a key while another process holds the write lock', async () => {
    const db = await openTestDatabase();
    await whileLocked({ directory: dirname(db.connection.name) }, () =>
      expectUnavailable(new SqliteKeyStore(db).update('key_x', { name: 'x' }), /^SQLITE_BUSY/),
    );
  });
});
