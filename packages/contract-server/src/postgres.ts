import type { PostgresDatabase } from './database/postgres/database.js';
import { type ApplicationStores, type CreateStores, type Engine, noStores } from './service/definition.js';

export { createBatchLoader } from './database/batch-loader.js';
export { GroupCommit, type WriteMetrics } from './database/group-commit.js';
export type { PostgresDatabase, Statement } from './database/postgres/database.js';
export type { StoreDependencies } from './service/definition.js';

/**
 * PostgreSQL as a database engine of a service, for any number of nodes: the database that `DATABASE_URL` names. It
 * requires the package pg.
 *
 * @param createStores creates the stores of the application, once the migrations in `postgres/` are applied. Default:
 * none.
 * @param options `startSql` runs at every start, after the migrations.
 */
export function postgres<Stores extends ApplicationStores>(
  createStores: CreateStores<PostgresDatabase, Stores> = noStores,
  { startSql }: { readonly startSql?: string } = {},
): Engine<Stores> {
  // Loaded on demand, because loading it delays the start of a node with SQLite.
  const load = () => import('./service/postgres-engine.js');
  return {
    open: async (opened, options) => (await load()).openPostgres(opened, options, createStores, startSql),
    check: async (name, { databaseUrl }) => (await load()).checkPostgres(name, databaseUrl),
  };
}
