import { readdir, readFile } from 'node:fs/promises';

/** One change of a schema. */
export interface Migration {
  /** Counted from 1. */
  readonly version: number;
  /** `catalogue-and-keys` */
  readonly name: string;
  readonly sql: string;
  /**
   * The migration that a release must know at least to work on this schema: 1 if the migration only expands the schema.
   * One that contracts it states this in its first line: `-- compatible from 4`.
   */
  readonly compatibleFrom: number;
}

/** The result of a migration when a database is opened. */
export interface MigrationResult {
  readonly version: number;
  readonly name: string;
  /** False if it had already been applied. */
  readonly wasApplied: boolean;
}

export function migrationResultsOf(
  migrations: readonly Migration[],
  applied: ReadonlySet<Migration>,
): readonly MigrationResult[] {
  return migrations.map((migration) => {
    const { version, name } = migration;
    return { version, name, wasApplied: applied.has(migration) };
  });
}

const compatibility = /^-- compatible from (\d+)$/m;

/**
 * Reads the migrations of an engine in ascending order, from `src`, because SQL files are not compiled.
 *
 * @throws Error if the numbers of the files have a gap.
 */
export async function readMigrations(engine: 'sqlite' | 'postgres'): Promise<readonly Migration[]> {
  const folder = new URL(`./${engine}/migrations/`, import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1)
        throw new Error(`The migration ${name} is out of order; expected number ${String(index + 1)}.`);
      const sql = await readFile(new URL(name, folder), 'utf8');
      const compatibleFrom = Number(compatibility.exec(sql)?.[1] ?? 1);
      return { version, name: name.slice('0001-'.length, -'.sql'.length), sql, compatibleFrom };
    }),
  );
}
