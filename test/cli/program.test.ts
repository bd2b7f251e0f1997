import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openBeside } from '@contract-server/test-support/fault-injection.js';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { type IssuedKeyView, petstore, petstoreJson, success } from '../support/cli/command-line.js';
import { contract, settingList } from '../support/pet-store.js';

interface MigrateResult {
  readonly location: string;
  readonly migrations: readonly { part: string; name: string; wasApplied: boolean }[];
}

/** contract-server tests its commands; this proves that the pet store has them, with its contract and its tables. */
describe('petstore', () => {
  it('--help lists every setting, and --version prints that of the contract', async () => {
    const { exitCode, stdout, stderr } = await petstore(['--help']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    for (const { name, description } of settingList) {
      expect(stdout).to.match(new RegExp(`^ {2}${name} `, 'm'));
      expect(stdout).to.contain(description);
    }
    expect(await petstore(['--version'])).to.deep.equal(success(`${contract.document.info.version}\n`));
  });

  it('migrate creates the tables of the pets, keys issues keys, backup copies the pets, and serve --check finds them', async () => {
    const directory = temporaryDirectory();
    const { migrations } = await petstoreJson<MigrateResult>(['migrate'], { directory });
    expect(migrations.map(({ part }) => part)).to.include.members(['api-keys', 'application']);

    const create = ['keys', 'create', '--name', 'app', '--plan', 'business'];
    const key = await petstoreJson<IssuedKeyView>(create, { directory });
    expect(key.token).to.match(/^pets_live_[0-9A-Za-z]{36}$/);
    expect(key).to.include({ requestsPerMinute: 1000, requestsPerDay: 100_000 });
    const staging = { directory, env: { PETSTORE_ENVIRONMENT: 'staging' } };
    expect((await petstoreJson<IssuedKeyView>(create, staging)).token).to.match(/^pets_test_/);

    const database = openBeside({ directory });
    const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
    for (const name of ['Rex', 'Tom', 'Kim']) insert.run(name, 9223372036854775807n, 'sold');
    database.close();
    const file = join(temporaryDirectory(), 'petstore.db');
    const result = await petstoreJson(['backup', file], { directory });
    expect(result).to.deep.equal({ file, pets: 3, bytes: statSync(file).size, seconds: 0 });
    const backedUp = openBeside({ directory: dirname(file) });
    const categories = backedUp.prepare('SELECT category_id FROM pets').safeIntegers().pluck().all();
    backedUp.close();
    expect(categories).to.deep.equal([9223372036854775807n, 9223372036854775807n, 9223372036854775807n]);

    const checked = await petstore(['serve', '--check'], { directory });
    expect(checked).to.deep.equal(
      success(`The settings are valid. Checked the database ${join(directory, 'petstore.db')}.\n`),
    );
  });

  describePostgres('with PostgreSQL', () => {
    it('keys list names the missing tables and DATABASE_URL, and creates none, which migrate does', async () => {
      const server = await sharedPostgres();
      const env = { DATABASE_URL: await server.createDatabase() };
      const { exitCode, stderr } = await petstore(['keys', 'list'], { env });
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(
        /^error: PostgreSQL at .*, database .* has no tables of the service; see DATABASE_URL\n$/,
      );
      const tables = "SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = 'public'";
      expect(await server.query(tables, env.DATABASE_URL)).to.deep.equal([{ count: 0 }]);
      const { migrations } = await petstoreJson<MigrateResult>(['migrate'], { env });
      expect(migrations.every(({ wasApplied }) => wasApplied)).to.equal(true);
      expect(await petstore(['keys', 'list', '--json'], { env })).to.deep.equal(success('[]\n'));
    });
  });
});
