import { expect } from 'chai';
import type { PostgresDatabase } from '#src/database/postgres/database.js';
import { errorOf } from '../../support/error-of.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import { SessionObserver } from '../../support/postgres/session-state.js';

describePostgres('the test of session state', () => {
  let observer: SessionObserver;
  let db: PostgresDatabase;
  beforeEach(async () => {
    const server = await sharedPostgres();
    observer = await SessionObserver.before(server.port);
    db = await openTestPostgres(observer.urlOf(await server.createDatabase()));
  });
  afterEach(async () => {
    await db.close();
    observer.close();
  });

  for (const [state, text] of [
    ['setting work_mem', `SELECT set_config('work_mem', '1MB', false)`],
    ['advisory lock', 'SELECT pg_advisory_lock(1)'],
    ['temporary table kept', 'CREATE TEMP TABLE kept ()'],
    ['prepared statement kept', 'PREPARE kept AS SELECT 1'],
    ['cursor kept', 'DECLARE kept CURSOR WITH HOLD FOR SELECT 1'],
    ['channel kept', 'LISTEN kept'],
    ['open transaction', 'BEGIN'],
  ] as const) {
    it(`detects: ${state}`, async () => {
      await db.write({ name: 'leave_state', text }, []);
      expect(String(await errorOf(observer.requireClean()))).to.contain(`left in the session: ${state}`);
    });
  }

  it('allows what ends with its transaction', async () => {
    await db.write(
      { name: 'set_local', text: `SELECT set_config('work_mem', '1MB', true), pg_advisory_xact_lock(1)` },
      [],
    );
    await db.write({ name: 'temporary', text: 'CREATE TEMP TABLE dropped () ON COMMIT DROP' }, []);
    expect(await observer.requireClean()).to.equal(1);
  });
});
