import { readdir, readFile } from 'node:fs/promises';

/** One step of a schema: its number, counted from 1, and its SQL. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/**
 * The migrations of one database in ascending order, from the folder `migrations/` of its engine. SQL is not compiled, so it is read where
 * it is written.
 *
 * @throws if the numbers of the files have a gap.
 */
export async function readMigrations(engine: string, database: string): Promise<readonly Migration[]> {
  const folder = new URL(`../../src/storage/${engine}/migrations/${database}/`, import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1) throw new Error(`The migration ${name} is out of order; expected number ${String(index + 1)}.`);
      return { version, sql: await readFile(new URL(name, folder), 'utf8') };
    }),
  );
}
