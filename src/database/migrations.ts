import { readdir, readFile } from 'node:fs/promises';
import { StartError } from '../lib/errors.js';

/** One change of a schema. Versions are counted from 1. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /**
   * The migration that a release must know at least to work on this schema: 1 if the migration only expands the schema.
   * One that contracts it states this in a line of its own: `-- compatible from 4`.
   */
  readonly compatibleFrom: number;
}

/** A migration after a database was opened; `wasApplied` is false if it had already been applied. */
export type MigrationResult = Pick<Migration, 'version' | 'name'> & { readonly wasApplied: boolean };

type Rows = readonly (readonly unknown[])[];

/** A connection to the database that is migrated. */
export interface MigrationConnection {
  /** The file or the server, for error messages. */
  readonly location: string;
  /** Whether a table exists. */
  hasTable(name: string): boolean | Promise<boolean>;
  /** Begins a transaction, and waits in it until no other process migrates. @throws StartError after a timeout. */
  beginLocked(): unknown;
  query(sql: string): Rows | Promise<Rows>;
  /** Runs one or several statements. */
  run(sql: string): unknown;
}

export const migrationTable = 'service_migrations';

/**
 * Reads the numbered SQL files of a folder in ascending order.
 *
 * @throws Error if the numbers have a gap.
 */
export async function readMigrations(folder: URL): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const version = Number.parseInt(file, 10);
      if (version !== index + 1) throw new Error(`The migration ${file} must have the number ${String(index + 1)}.`);
      const sql = await readFile(new URL(file, folder), 'utf8');
      const compatibleFrom = Number(/^-- compatible from (\d+)$/m.exec(sql)?.[1] ?? 1);
      return { version, name: file.slice('0001-'.length, -'.sql'.length), sql, compatibleFrom };
    }),
  );
}

/**
 * Applies and records the missing migrations in one transaction, all or none. Concurrent starts are safe: the
 * transaction holds a lock. If nothing is missing, no lock is needed and nothing is written.
 *
 * An older release can work on a schema that a newer one has expanded, but not on one that it has contracted.
 *
 * @throws StartError if this release cannot work on the schema, or if another process migrates for too long.
 */
export async function migrate(
  connection: MigrationConnection,
  migrations: readonly Migration[],
): Promise<readonly MigrationResult[]> {
  let applied: readonly Migration[] = [];
  if ((await findMissing(connection, migrations)).length > 0) {
    await connection.beginLocked();
    // If this fails, the caller closes the connection, which rolls the transaction back.
    await connection.run(`CREATE TABLE IF NOT EXISTS ${migrationTable}
      (version integer PRIMARY KEY, name text NOT NULL, compatible_from integer NOT NULL)`);
    applied = await findMissing(connection, migrations);
    for (const { version, name, sql, compatibleFrom } of applied) {
      await connection.run(sql);
      const values = `${String(version)}, '${name}', ${String(compatibleFrom)}`;
      await connection.run(`INSERT INTO ${migrationTable} VALUES (${values})`);
    }
    await connection.run('COMMIT');
  }
  const appliedVersions = new Set(applied.map(({ version }) => version));
  return migrations.map(({ version, name }) => ({ version, name, wasApplied: appliedVersions.has(version) }));
}

/** The migrations that are not recorded. @throws StartError if a recorded one requires a newer release. */
async function findMissing(connection: MigrationConnection, migrations: readonly Migration[]): Promise<Migration[]> {
  if (!(await connection.hasTable(migrationTable))) return [...migrations];
  const recorded = await connection.query(`SELECT version, compatible_from FROM ${migrationTable} ORDER BY version`);
  const incompatible = recorded.find(([, compatibleFrom]) => Number(compatibleFrom) > migrations.length);
  if (incompatible !== undefined) {
    throw new StartError(
      `${connection.location} has migration ${String(incompatible[0])}, which requires a release with migration ` +
        `${String(incompatible[1])}. This release has ${String(migrations.length)} migrations. Start a newer release.`,
    );
  }
  const versions = new Set(recorded.map(([version]) => Number(version)));
  return migrations.filter(({ version }) => !versions.has(version));
}
