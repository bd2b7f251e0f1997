import { anyFunction, required, requireOptions } from '@contract-server/core/lib/option-rules.js';
import type { SqliteDatabase } from './database/sqlite/database.js';
import { type ApplicationStores, type CreateStores, type Engine, noStores } from './service/definition.js';

export { GroupCommit, type WriteMetrics } from './database/group-commit.js';
export type { SqliteDatabase } from './database/sqlite/database.js';
export { isSqliteError } from './database/sqlite/sqlite-error.js';
export type { SqliteTransaction } from './database/sqlite/transaction.js';
export type { StoreDependencies } from './service/definition.js';

/**
 * The database engine SQLite, for one node. The database is the file `<name>.db` in `DATA_DIR`, and every commit is
 * synced to disk. Requires the package `better-sqlite3`: version 13, or 12 on Node.js 20. A project that runs on both
 * also installs 12 under another name: `npm install better-sqlite3-node20@npm:better-sqlite3@12`.
 *
 * @param createStores creates the stores of the application, after the migrations in `sqlite/` were applied. Default:
 * no stores.
 */
export function sqlite<Stores extends ApplicationStores>(
  createStores: CreateStores<SqliteDatabase, Stores> = noStores,
): Engine<Stores> {
  requireOptions('sqlite', { createStores }, { createStores: required(anyFunction) });
  // Loaded on demand, because a node with PostgreSQL does not need it.
  const load = () => import('./service/sqlite-engine.js');
  return {
    open: async (opened, options) => (await load()).openSqlite(opened, options, createStores),
    check: async (name, { dataDirectory }) => (await load()).checkSqlite(name, dataDirectory),
  };
}
