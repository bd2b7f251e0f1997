import { readdir, readFile } from 'node:fs/promises';
import { StartError } from '../lib/errors.js';

/** One change of a schema. Versions are counted from 1. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /**
   * The migration that a release must have at least to work on this schema: 1 if this one only expands the schema. One
   * that contracts it states this in a line of its own: `-- compatible from 4`.
   */
  readonly compatibleFrom: number;
}

/** A migration after a database was opened; `wasApplied` is false if it had already been applied. */
export type MigrationResult = Pick<Migration, 'version' | 'name'> & { readonly wasApplied: boolean };

/** A connection to the database that is migrated. */
export interface MigrationConnection {
  /** The file or the server, for error messages. */
  readonly location: string;
  hasTable(name: string): boolean | Promise<boolean>;
  /** Begins a transaction, and waits in it until no other process migrates. @throws StartError after a timeout. */
  beginLocked(): unknown;
  query(sql: string): Rows | Promise<Rows>;
  /** Runs one or several statements. */
  run(sql: string): unknown;
}

type Rows = readonly (readonly unknown[])[];

export const migrationTable = 'service_migrations';

/** Reads the numbered SQL files of a folder in ascending order. @throws Error if the numbers have a gap. */
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
 * @throws StartError if a newer release has contracted the schema, or if another process migrates for too long.
 */
export async function migrate(
  connection: MigrationConnection,
  migrations: readonly Migration[],
): Promise<readonly MigrationResult[]> {
  let missing = await findMissing(connection, migrations);
  if (missing.length > 0) {
    await connection.beginLocked();
    // If this fails, the caller closes the connection, which rolls the transaction back.
    await connection.run(`CREATE TABLE IF NOT EXISTS ${migrationTable}
      (version integer PRIMARY KEY, name text NOT NULL, compatible_from integer NOT NULL)`);
    missing = await findMissing(connection, migrations);
    for (const { version, name, sql, compatibleFrom } of missing) {
      await connection.run(sql);
      const values = `${String(version)}, '${name}', ${String(compatibleFrom)}`;
      await connection.run(`INSERT INTO ${migrationTable} VALUES (${values})`);
    }
    await connection.run('COMMIT');
  }
  return migrations.map((migration) => {
    const { version, name } = migration;
    return { version, name, wasApplied: missing.includes(migration) };
  });
}

/** The migrations that are not recorded. @throws StartError if a recorded one requires a newer release. */
async function findMissing(connection: MigrationConnection, migrations: readonly Migration[]): Promise<Migration[]> {
  if (!(await connection.hasTable(migrationTable))) return [...migrations];
  const recorded = await connection.query(`SELECT version, compatible_from FROM ${migrationTable} ORDER BY version`);
  for (const [version, compatibleFrom] of recorded) {
    if (Number(compatibleFrom) <= migrations.length) continue;
    throw new StartError(
      `${connection.location} has migration ${String(version)}, which requires a release with migration ` +
        `${String(compatibleFrom)}. This release has ${String(migrations.length)} migrations. Start a newer release.`,
    );
  }
  return migrations.filter(({ version }) => !recorded.some(([recordedVersion]) => recordedVersion === version));
}
