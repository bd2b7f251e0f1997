import { expect } from 'chai';
import type { Migration } from '#src/database/migrations.js';
import { StartError } from '#src/lib/errors.js';

function migration(version: number, sql: string, compatibleFrom = 1): Migration {
  return { version, name: `test-${String(version)}`, sql, compatibleFrom };
}

/** A database without tables. */
export interface EmptyDatabase {
  /** Opens it with these migrations after those of the service. Resolves with the versions that were applied. */
  open(added?: readonly Migration[]): Promise<number[]>;
  query(sql: string): Promise<unknown[]> | unknown[];
}

/** The guarantees of `migrate` on every engine. */
export function describeMigrations(
  migrations: readonly Migration[],
  createDatabase: () => Promise<EmptyDatabase>,
): void {
  /** The number of the first migration after those of the service. */
  const next = migrations.length + 1;
  describe('migrations', () => {
    let db: EmptyDatabase;
    beforeEach(async () => (db = await createDatabase()));

    async function errorMessageOf(added: readonly Migration[]): Promise<string> {
      const error = await db.open(added).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(StartError);
      return (error as StartError).message;
    }

    it('are applied once, and recorded', async () => {
      const expected = migrations.map(({ version, name }) => ({ version, name }));
      expect(await db.open()).to.deep.equal(expected.map(({ version }) => version));
      expect(await db.open()).to.deep.equal([]);
      expect(await db.query('SELECT version, name FROM service_migrations ORDER BY version')).to.deep.equal(expected);
    });

    it('keep the data of an older release', async () => {
      await db.open();
      await db.query(`INSERT INTO pets (id, name, category_id, status) VALUES (1, 'Rex', 7, 'sold')`);
      expect(await db.open([migration(next, `ALTER TABLE pets ADD COLUMN note text DEFAULT 'none'`)])).to.deep.equal([
        next,
      ]);
      expect(await db.query('SELECT name, note FROM pets')).to.deep.equal([{ name: 'Rex', note: 'none' }]);
    });

    it('are applied all or none', async () => {
      const failing = [
        migration(next, 'CREATE TABLE good (id int)'),
        migration(next + 1, 'CREATE TABLE good (id int)'),
      ];
      expect(await errorMessageOf(failing)).to.match(/"?good"? already exists/);
      expect(await db.open(failing.slice(0, 1))).to.include(next);
    });

    it('of a newer release are accepted if they expand the schema, and rejected if they contract it', async () => {
      await db.open([migration(next, 'CREATE TABLE more (id int)'), migration(next + 1, 'SELECT 1', next - 1)]);
      expect(await db.open()).to.deep.equal([]);
      await db.open([migration(next, ''), migration(next + 1, ''), migration(next + 2, 'SELECT 1', next)]);
      expect(await errorMessageOf([])).to.match(
        new RegExp(
          ` has migration ${String(next + 2)}, which requires a release with migration ${String(next)}\\. ` +
            `This release has ${String(next - 1)} migrations\\. Start a newer release\\.$`,
        ),
      );
    });
  });
}
