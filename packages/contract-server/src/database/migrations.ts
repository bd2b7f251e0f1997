import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { StartError } from '@contract-server/core/lib/errors.js';

/** One change of a schema. Each part, such as API keys or the application, counts its versions from 1. */
export interface Migration {
  readonly part: string;
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /**
   * The migration of the part that a release must have at least to work on this schema: 1 if this one only expands the
   * schema. One that contracts it states this in a line of its own: `-- compatible from 4`.
   */
  readonly compatibleFrom: number;
}

/** A migration after a database was opened; `wasApplied` is false if it had already been applied. */
export type MigrationResult = Pick<Migration, 'part' | 'version' | 'name'> & { readonly wasApplied: boolean };

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

export const migrationTable = 'applied_migrations';
/** Recorded the migrations of previews, without their part. The first migrations of each part keep existing tables. */
export const previewTable = 'service_migrations';

/** Reads the numbered SQL files of a part in ascending order. @throws Error if the numbers have a gap. */
export async function readMigrations(part: string, folder: URL): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const version = Number.parseInt(file, 10);
      if (version !== index + 1) throw new Error(`The migration ${file} must have the number ${String(index + 1)}.`);
      const sql = await readFile(new URL(file, folder), 'utf8');
      const compatibleFrom = Number(/^-- compatible from (\d+)$/m.exec(sql)?.[1] ?? 1);
      return { part, version, name: file.slice('0001-'.length, -'.sql'.length), sql, compatibleFrom };
    }),
  );
}

/**
 * Applies and records the missing migrations in one transaction, all or none. Concurrent starts are safe: the
 * transaction holds a lock. If nothing is missing, no lock is needed and nothing is written.
 *
 * @param migrations of each part in ascending order.
 * @throws StartError if a newer release has contracted the schema, if an applied migration was changed or replaced, or
 * if another process migrates for too long.
 */
export async function migrate(
  connection: MigrationConnection,
  migrations: readonly Migration[],
): Promise<readonly MigrationResult[]> {
  let missing = await findMissing(connection, migrations);
  if (missing.length > 0) {
    await connection.beginLocked();
    // If this fails, the caller closes the connection, which rolls the transaction back.
    await connection.run(`DROP TABLE IF EXISTS ${previewTable}; CREATE TABLE IF NOT EXISTS ${migrationTable}
      (part text, version integer, name text NOT NULL, checksum text NOT NULL, compatible_from integer NOT NULL,
      PRIMARY KEY (part, version))`);
    missing = await findMissing(connection, migrations);
    for (const migration of missing) {
      const { part, version, name, sql, compatibleFrom } = migration;
      await connection.run(sql);
      const values = `'${part}', ${String(version)}, '${name}', '${checksumOf(migration)}', ${String(compatibleFrom)}`;
      await connection.run(`INSERT INTO ${migrationTable} VALUES (${values})`);
    }
    await connection.run('COMMIT');
  }
  return migrations.map((migration) => {
    const { part, version, name } = migration;
    return { part, version, name, wasApplied: missing.includes(migration) };
  });
}

type RecordedMigration = readonly [part: string, version: number, name: string, checksum: string, compatible: number];

/** The migrations that are not recorded. @throws StartError if a recorded one does not fit this release. */
async function findMissing(connection: MigrationConnection, migrations: readonly Migration[]): Promise<Migration[]> {
  if (!(await connection.hasTable(migrationTable))) return [...migrations];
  const recorded = (await connection.query(
    `SELECT part, version, name, checksum, compatible_from FROM ${migrationTable} ORDER BY part, version`,
  )) as unknown as readonly RecordedMigration[];
  for (const record of recorded) requireFit(connection.location, record, migrations);
  return migrations.filter(
    ({ part, version }) => !recorded.some((record) => record[0] === part && record[1] === version),
  );
}

/** @throws StartError if a recorded migration requires a newer release, or differs from that of this release. */
function requireFit(
  location: string,
  [part, version, name, checksum, compatibleFrom]: RecordedMigration,
  migrations: readonly Migration[],
): void {
  const own = migrations.filter((migration) => migration.part === part);
  // The tables of a part that the service does not have are kept.
  if (own.length === 0) return;
  if (compatibleFrom > own.length)
    throw new StartError(
      `${location} has migration ${String(version)} of ${part}, which requires a release with migration ` +
        `${String(compatibleFrom)}. This release has ${String(own.length)}. Start a newer release.`,
    );
  const migration = own[version - 1];
  if (migration !== undefined && checksumOf(migration) !== checksum)
    throw new StartError(
      `Migration ${String(version)} (${name}) of ${part} was changed after it was applied to ${location}. ` +
        'Restore its file, and add another migration for the change.',
    );
}

/** The SHA-256 of the SQL, without the line endings that a checkout may change. */
function checksumOf({ sql }: Migration): string {
  return createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');
}
