import type { SqliteDatabase } from './database/sqlite/database.js';
import { type ApplicationStores, type CreateStores, type Engine, noStores } from './service/definition.js';

export { GroupCommit, type WriteMetrics } from './database/group-commit.js';
export type { SqliteDatabase } from './database/sqlite/database.js';
export type { StoreDependencies } from './service/definition.js';

/**
 * SQLite as a database engine of a service, for one node: the file `<name>.db` in `DATA_DIR`, with every commit synced
 * to disk. It requires the package better-sqlite3.
 *
 * @param createStores creates the stores of the application, once the migrations in `sqlite/` are applied. Default:
 * none.
 */
export function sqlite<Stores extends ApplicationStores>(
  createStores: CreateStores<SqliteDatabase, Stores> = noStores,
): Engine<Stores> {
  // Loaded on demand: a node with PostgreSQL does not need it.
  const load = () => import('./service/sqlite-engine.js');
  return {
    open: async (opened, options) => (await load()).openSqlite(opened, options, createStores),
    check: async (name, { dataDirectory }) => (await load()).checkSqlite(name, dataDirectory),
  };
}
