import { StartError } from '@contract-server/core/lib/errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import type { Migration } from '#src/database/migrations.js';

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
  /** Migrations of an application, counted from a version. */
  const changes = (from: number, ...all: readonly (readonly [sql: string, compatibleFrom?: number])[]): Migration[] =>
    all.map(([sql, compatibleFrom = 1], index) => {
      const version = from + index;
      return { part: 'toys', version, name: `test-${String(version)}`, sql, compatibleFrom };
    });
  const first = changes(1, ['CREATE TABLE toys (id int)']);
  const following = (...all: Parameters<typeof changes> extends [number, ...infer Rest] ? Rest : never) => [
    ...first,
    ...changes(2, ...all),
  ];

  describe('migrations', () => {
    let db: EmptyDatabase;
    beforeEach(async () => (db = await createDatabase()));

    async function errorMessageOf(added: readonly Migration[]): Promise<string> {
      const error = await errorOf(db.open(added));
      expect(error).to.be.instanceOf(StartError);
      return (error as StartError).message;
    }

    it('of each part are applied once, recorded, and keep the data of an older release', async () => {
      expect(await db.open(first)).to.deep.equal([...migrations, ...first].map(({ version }) => version));
      expect(await db.open(first)).to.deep.equal([]);
      const recorded = await db.query('SELECT part, version, name FROM applied_migrations');
      const expected = [...migrations, ...first].map(({ part, version, name }) => ({ part, version, name }));
      expect(recorded).to.have.deep.members(expected);
      await db.query(`INSERT INTO quotas (id, plan) VALUES ('quota_rex', 'free')`);
      expect(await db.open(following([`ALTER TABLE quotas ADD COLUMN note text DEFAULT 'none'`]))).to.deep.equal([2]);
      expect(await db.query('SELECT plan, note FROM quotas')).to.deep.equal([{ plan: 'free', note: 'none' }]);
    });

    it('of a part that a service no longer has are kept', async () => {
      await db.open(first);
      expect(await db.open([])).to.deep.equal([]);
      expect(await db.query('SELECT id FROM toys')).to.deep.equal([]);
    });

    it('that were changed or replaced after they were applied stop the start; line endings may differ', async () => {
      await db.open(changes(1, ['CREATE TABLE toys (\nid int)']));
      expect(await db.open(changes(1, ['CREATE TABLE toys (\r\nid int)']))).to.deep.equal([]);
      expect(await errorMessageOf(changes(1, ['CREATE TABLE toys (id bigint)']))).to.match(
        /^Migration 1 \(test-1\) of toys was changed after it was applied to .*\. Restore its file, and add another migration for the change\.$/,
      );
    });

    it('are applied all or none', async () => {
      const failing = following(['CREATE TABLE good (id int)'], ['CREATE TABLE good (id int)']);
      expect(await errorMessageOf(failing)).to.match(/"?good"? already exists/);
      expect(await db.open(failing.slice(0, 2))).to.include(2);
    });

    it('of a newer release are accepted if they expand the schema, and rejected if they contract it', async () => {
      const expanding = following(['CREATE TABLE more (id int)'], ['SELECT 1', 1]);
      await db.open(expanding);
      expect(await db.open(first)).to.deep.equal([]);
      await db.open([...expanding, ...changes(4, ['SELECT 2', 2])]);
      expect(await errorMessageOf(first)).to.contain(
        ' has migration 4 of toys, which requires a release with migration 2. This release has 1. ' +
          'Start a newer release.',
      );
    });
  });
}
