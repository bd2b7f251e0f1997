import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { expect } from 'chai';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { openTestPostgres } from '../../support/databases.js';
import { creationRequest, rex } from '../../support/pets.js';

describePostgres('open connections to PostgreSQL', () => {
  it('change no role, and work during a migration that expands the schema', async () => {
    const server = await sharedPostgres();
    const url = await server.createDatabase();
    const pets = new PostgresPetStore(await openTestPostgres(url));
    const callAll = async () => {
      await pets.insert(rex);
      await Promise.all([pets.insertOnce(rex, creationRequest), pets.find(1), pets.findReplay(creationRequest)]);
      for (const status of [undefined, 'sold'] as const) await pets.list({ limit: 1, status, afterId: 0 });
      await pets.deleteExpiredKeys(9);
    };
    await callAll();
    const tables = ['pets', 'idempotency_keys', 'quotas', 'api_keys'];
    const expand = tables.map((table) => `ALTER TABLE ${table} ADD COLUMN note text; CREATE INDEX ON ${table} (note);`);
    await server.query(expand.join('\n'), url);
    await callAll();
    expect(await server.query('SELECT FROM pg_db_role_setting WHERE setrole <> 0', url)).to.deep.equal([]);
  });
});
