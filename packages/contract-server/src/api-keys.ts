import { packageFolder } from './lib/package-folder.js';
import type { ApiKeysPart } from './service/definition.js';

export type { ApiKeyCaller } from './api-keys/api-key-security.js';

/**
 * The security handler for API keys that the service issues. It stores their hashes in the database of the service,
 * and adds the commands `keys …` and the setting `<NAME>_ENVIRONMENT`. Each key is on a plan of `x-rate-limit-plans`.
 * The first start on an empty SQLite database creates a key, and prints it.
 */
export function apiKeys(): ApiKeysPart {
  return {
    migrations: {
      sqlite: [
        ['api-keys', new URL('migrations/api-keys/sqlite/', packageFolder)],
        ['rate-limits', new URL('migrations/rate-limits/sqlite/', packageFolder)],
      ],
      postgres: [['api-keys', new URL('migrations/api-keys/postgres/', packageFolder)]],
    },
    // With PostgreSQL, quotas are counted in Redis or in the memory of each node.
    localTables: ['rate_limit_resets', 'rate_limit_windows'],
    openStore: async (db) => {
      if (db.engine === 'sqlite') {
        const { SqliteKeyStore } = await import('./api-keys/sqlite-key-store.js');
        return new SqliteKeyStore(db);
      }
      const { PostgresKeyStore } = await import('./api-keys/postgres-key-store.js');
      return new PostgresKeyStore(db);
    },
  };
}
