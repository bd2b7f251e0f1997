import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createToken, hashToken } from 'contract-server/api-keys/token.js';
import { BetterSqlite3 } from 'contract-server/database/sqlite/better-sqlite3.js';
import { rootPath, temporaryDirectory } from './paths.js';

/** Initial data of servers. Each API key has a very large quota. */
export interface Catalogue {
  /** The DATA_DIR, which each server copies. */
  readonly directory: string;
  readonly pets: number;
  readonly tokens: readonly string[];
}

const insertPets = `
  INSERT INTO pets (name, category_id, status)
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ? - 1)
  SELECT 'Pet ' || n, n % 50, CASE n % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END FROM numbers`;
const insertQuota = `INSERT INTO quotas VALUES (?, 'enterprise', 1000000000, 1000000000)`;
const insertKey = 'INSERT INTO api_keys (id, token_hash, name, quota_id, created_at) VALUES (?, ?, ?, ?, ?)';

/**
 * Creates pets and API keys in SQLite.
 *
 * @param databaseUrl a PostgreSQL to which they are copied.
 */
export function createCatalogue({ pets = 10_000, keys = 1, databaseUrl = '' } = {}): Catalogue {
  console.error(`Creating ${String(pets)} pets and ${String(keys)} keys`);
  const directory = temporaryDirectory();
  const petstore = (...args: readonly string[]) =>
    execFileSync(process.execPath, [rootPath('dist/petstore.js'), ...args], {
      env: { DATA_DIR: directory },
      stdio: 'pipe',
    });
  petstore('migrate');
  const tokens = Array.from({ length: keys }, () => createToken('pets_live_'));
  const db = new BetterSqlite3(join(directory, 'petstore.db'));
  db.exec('BEGIN');
  db.prepare(insertPets).run(pets);
  const [quotas, apiKeys] = [db.prepare(insertQuota), db.prepare(insertKey)];
  for (const [index, token] of tokens.entries()) {
    const [id, quotaId] = [`key_${String(index)}`, `quota_${String(index)}`];
    quotas.run(quotaId);
    apiKeys.run(id, hashToken(token), id, quotaId, Date.now());
  }
  db.exec('COMMIT');
  db.close();
  if (databaseUrl !== '') petstore('copy', databaseUrl);
  return { directory, pets, tokens };
}
