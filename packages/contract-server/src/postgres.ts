import { anyFunction, object, required, requireOptions, text } from '@contract-server/core/lib/option-rules.js';
import type { PostgresDatabase } from './database/postgres/database.js';
import { type ApplicationStores, type CreateStores, type Engine, noStores } from './service/definition.js';

export { createBatchLoader } from './database/batch-loader.js';
export { GroupCommit, type WriteMetrics } from './database/group-commit.js';
export type { PostgresDatabase } from './database/postgres/database.js';
export type { Statement } from './database/postgres/statement.js';
export type { PostgresTransaction } from './database/postgres/transaction.js';
export type { StoreDependencies } from './service/definition.js';

interface PostgresOptions {
  /** Runs at every start, after the migrations. */
  readonly startSql?: string;
}

/**
 * The database engine PostgreSQL, for any number of nodes. `DATABASE_URL` names the database. Requires the package
 * `pg`. A statement with a name is prepared once per connection:
 *
 *     const find = { name: 'find', text: 'SELECT title FROM books WHERE id = $1' };
 *     const [book] = await db.query<{ title: string }>(find, [id]);
 *
 * @param createStores creates the stores of the application, after the migrations in `postgres/` were applied. Default:
 * no stores.
 */
export function postgres<Stores extends ApplicationStores>(
  createStores: CreateStores<PostgresDatabase, Stores> = noStores,
  options: PostgresOptions = {},
): Engine<Stores> {
  const rules = { createStores: required(anyFunction), options: required(object<PostgresOptions>({ startSql: text })) };
  requireOptions('postgres', { createStores, options }, rules);
  // Loaded on demand, because loading it delays the start of a node with SQLite.
  const load = () => import('./service/postgres-engine.js');
  return {
    open: async (opened, engine) => (await load()).openPostgres(opened, engine, createStores, options.startSql),
    check: async (name, { databaseUrl }) => (await load()).checkPostgres(name, databaseUrl),
  };
}
