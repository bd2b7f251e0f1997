import { readdir, readFile } from 'node:fs/promises';

/** One step of a schema. */
export interface Migration {
  /** Counted from 1. */
  readonly version: number;
  /** `catalogue-and-keys` */
  readonly name: string;
  readonly sql: string;
  /**
   * The oldest migration that a release must know to work on what this one leaves. 1 where it only adds (it expands the
   * schema); where it takes something away (it contracts the schema), the first line of the file says so: `--
   * compatible from 4`.
   */
  readonly compatibleFrom: number;
}

/** What became of a migration when a database was opened. */
export interface MigrationOutcome {
  /** `petstore` for animals and keys, `limits` for counters. */
  readonly database: string;
  readonly version: number;
  readonly name: string;
  /** Whether it was applied then; it is there in any case. */
  readonly wasApplied: boolean;
}

export function outcomesOf(
  database: string,
  migrations: readonly Migration[],
  applied: ReadonlySet<Migration>,
): readonly MigrationOutcome[] {
  return migrations.map((migration) => {
    const { version, name } = migration;
    return { database, version, name, wasApplied: applied.has(migration) };
  });
}

const compatibility = /^-- compatible from (\d+)$/m;

/**
 * The migrations of one database in ascending order, from the folder `migrations/` of its engine. SQL is not compiled,
 * so it is read where it is written.
 *
 * @throws if the numbers of the files have a gap.
 */
export async function readMigrations(engine: string, database: string): Promise<readonly Migration[]> {
  const folder = new URL(`../../src/database/${engine}/migrations/${database}/`, import.meta.url);
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
