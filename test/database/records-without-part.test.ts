import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeLater } from '@contract-server/test-support/closing.js';
import { createDatabaseFile } from '@contract-server/test-support/fault-injection.js';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { Client } from 'pg';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { petstoreJson, type RunOptions } from '../support/cli/command-line.js';
import { openTestDatabase, openTestPostgres } from '../support/databases.js';
import { rex } from '../support/pets.js';

const sqlOf = (engine: string) =>
  readFileSync(new URL(`../../../test/database/records-without-part/${engine}.sql`, import.meta.url), 'utf8');
const stored = '{"id":7,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';

/** The plan of the stored key, as an operator sees it. */
async function planOfKey(options: RunOptions): Promise<string | undefined> {
  const keys = await petstoreJson<{ id: string; plan: string }[]>(['keys', 'list'], options);
  return keys.find(({ id }) => id === 'key_rex')?.plan;
}

describe('a database whose migrations are recorded without their part', () => {
  it('is adopted by the first start, with its pets, keys and quotas', async () => {
    const directory = temporaryDirectory();
    createDatabaseFile(join(directory, 'petstore.db'), sqlOf('sqlite'));
    for (const isFirst of [true, false]) {
      const db = await openTestDatabase(directory);
      expect(db.migrations.every(({ wasApplied }) => wasApplied)).to.equal(isFirst);
      expect(await new SqlitePetStore(db).find(7)).to.equal(stored);
      expect(await planOfKey({ directory })).to.equal('pro');
      expect(db.prepare('SELECT day_used FROM rate_limit_windows').pluck().all()).to.deep.equal([5]);
      expect(db.prepare(`SELECT name FROM sqlite_schema WHERE name = 'service_migrations'`).all()).to.deep.equal([]);
    }
  });
});

describePostgres('a PostgreSQL database whose migrations are recorded without their part', () => {
  it('is adopted by the first start, with its pets, keys and the next id', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const client = new Client(url);
    await client.connect();
    closeLater(() => client.end());
    await client.query(sqlOf('postgres'));
    for (const isFirst of [true, false]) {
      const db = await openTestPostgres(url);
      expect(db.migrations.every(({ wasApplied }) => wasApplied)).to.equal(isFirst);
      expect(await new PostgresPetStore(db).find(7)).to.equal(stored);
      expect(await planOfKey({ env: { DATABASE_URL: url } })).to.equal('pro');
      if (isFirst) expect(await new PostgresPetStore(db).insert(rex)).to.equal(8);
      expect((await client.query(`SELECT to_regclass('service_migrations') AS name`)).rows).to.deep.equal([
        { name: null },
      ]);
    }
  });
});
