import { type Client, DatabaseError } from 'pg';
import { StartError } from '../../lib/errors.js';
import type { Migration } from '../migrations.js';

/** The key of the advisory lock: "PETS" in ASCII. */
const lockKey = 0x50455453;
/** The longest time that a timer can wait, in milliseconds: 24 days. */
const unlimitedMs = 2 ** 31 - 1;

/** A change that a database needs, for example after a dump was restored into another cluster. */
export interface Repair {
  /** Selects whether it is needed. It is read at every start. */
  readonly isNeeded: string;
  readonly sql: string;
}

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  readonly repairs: readonly Repair[];
  /** The database, for error messages. */
  readonly location: string;
  /** How long to wait for another process that migrates. */
  readonly timeoutMs: number;
}

interface Recorded {
  readonly version: number;
  readonly compatibleFrom: number;
}

/**
 * Applies the missing migrations, each in its own transaction, which also records it, and resolves with them. Then
 * makes the repairs that are needed. A lock makes concurrent starts safe; it is released with its transaction.
 *
 * An older release can work on a schema that a newer one has expanded, but not on one that it has contracted.
 *
 * @throws StartError if this release cannot work on the schema, or if another process migrates for too long.
 */
export async function migrate(client: Client, options: MigrateOptions): Promise<readonly Migration[]> {
  const applied: Migration[] = [];
  while (missingFrom(await readRecorded(client), options).length > 0) {
    const migration = await underLock(client, options, () => applyNext(client, options));
    if (migration !== undefined) applied.push(migration);
  }
  for (const { isNeeded, sql } of options.repairs) {
    if (!(await isTrue(client, isNeeded))) continue;
    await underLock(client, options, async () => {
      if (await isTrue(client, isNeeded)) await runWithoutLimit(client, sql);
    });
  }
  return applied;
}

async function isTrue(client: Client, query: string): Promise<boolean> {
  const { rows } = await client.query<[boolean]>({ text: query, rowMode: 'array' });
  return rows[0]?.[0] === true;
}

async function readRecorded(client: Client): Promise<readonly Recorded[]> {
  const { rows: tables } = await client.query<{ name: string | null }>(
    `SELECT to_regclass('petstore_migrations') AS name`,
  );
  if (tables[0]?.name === null) return [];
  const { rows } = await client.query<Recorded>(
    'SELECT version, compatible_from AS "compatibleFrom" FROM petstore_migrations ORDER BY version',
  );
  return rows;
}

function missingFrom(recorded: readonly Recorded[], { migrations, location }: MigrateOptions): Migration[] {
  const incompatible = recorded.find(({ compatibleFrom }) => compatibleFrom > migrations.length);
  if (incompatible !== undefined) {
    const { version, compatibleFrom } = incompatible;
    throw new StartError(
      `${location} has migration ${String(version)}, which requires a release with migration ${String(compatibleFrom)}. ` +
        `This release has ${String(migrations.length)} migrations. Nothing was changed. Start a newer release.`,
    );
  }
  const versions = new Set(recorded.map(({ version }) => version));
  return migrations.filter(({ version }) => !versions.has(version));
}

/** Runs a function in a transaction that holds the lock. */
async function underLock<T>(client: Client, options: MigrateOptions, run: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await lock(client, options);
    const result = await run();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function lock(client: Client, { location, timeoutMs }: MigrateOptions): Promise<void> {
  try {
    await client.query(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${String(timeoutMs)}`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockKey]);
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === '55P03')) throw error;
    throw new StartError(
      `Another process has been migrating ${location} for ${String(timeoutMs / 1000)} s. Start again when it is done.`,
      { cause: error },
    );
  }
}

/** Applies and records the first missing migration; `undefined` if another process has applied it. */
async function applyNext(client: Client, options: MigrateOptions): Promise<Migration | undefined> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS petstore_migrations (
      version integer PRIMARY KEY,
      name text NOT NULL,
      compatible_from integer NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  const [migration] = missingFrom(await readRecorded(client), options);
  if (migration === undefined) return undefined;
  const { version, name, sql, compatibleFrom } = migration;
  await runWithoutLimit(client, sql);
  await client.query('INSERT INTO petstore_migrations (version, name, compatible_from) VALUES ($1, $2, $3)', [
    version,
    name,
    compatibleFrom,
  ]);
  return migration;
}

/** Runs SQL that may change a large table. The driver's types lack the timeout. */
async function runWithoutLimit(client: Client, text: string): Promise<void> {
  const withoutLimit = { text, query_timeout: unlimitedMs };
  await client.query(withoutLimit);
}
