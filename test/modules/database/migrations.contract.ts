import { expect } from 'chai';
import type { Migration } from '#src/database/migrations.js';
import { StartError } from '#src/lib/errors.js';
import { errorOf } from '../../support/error-of.js';

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
  const last = migrations.length;
  /** The migrations that follow those of the service. */
  const following = (...all: readonly (readonly [sql: string, compatibleFrom?: number])[]): Migration[] =>
    all.map(([sql, compatibleFrom = 1], index) => {
      const version = last + 1 + index;
      return { version, name: `test-${String(version)}`, sql, compatibleFrom };
    });

  describe('migrations', () => {
    let db: EmptyDatabase;
    beforeEach(async () => (db = await createDatabase()));

    async function errorMessageOf(added: readonly Migration[]): Promise<string> {
      const error = await errorOf(db.open(added));
      expect(error).to.be.instanceOf(StartError);
      return (error as StartError).message;
    }

    it('are applied once, recorded, and keep the data of an older release', async () => {
      const expected = migrations.map(({ version, name }) => ({ version, name }));
      expect(await db.open()).to.deep.equal(expected.map(({ version }) => version));
      expect(await db.open()).to.deep.equal([]);
      expect(await db.query('SELECT version, name FROM service_migrations ORDER BY version')).to.deep.equal(expected);
      await db.query(`INSERT INTO quotas (id, plan) VALUES ('quota_rex', 'free')`);
      const added = following([`ALTER TABLE quotas ADD COLUMN note text DEFAULT 'none'`]);
      expect(await db.open(added)).to.deep.equal([last + 1]);
      expect(await db.query('SELECT plan, note FROM quotas')).to.deep.equal([{ plan: 'free', note: 'none' }]);
    });

    it('are applied all or none', async () => {
      const failing = following(['CREATE TABLE good (id int)'], ['CREATE TABLE good (id int)']);
      expect(await errorMessageOf(failing)).to.match(/"?good"? already exists/);
      expect(await db.open(failing.slice(0, 1))).to.include(last + 1);
    });

    it('of a newer release are accepted if they expand the schema, and rejected if they contract it', async () => {
      await db.open(following(['CREATE TABLE more (id int)'], ['SELECT 1', last]));
      expect(await db.open()).to.deep.equal([]);
      await db.open(following([''], [''], ['SELECT 1', last + 1]));
      expect(await errorMessageOf([])).to.contain(
        ` has migration ${String(last + 3)}, which requires a release with migration ${String(last + 1)}. ` +
          `This release has ${String(last)} migrations. Start a newer release.`,
      );
    });
  });
}
