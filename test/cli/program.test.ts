import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describePostgres, sharedPostgres } from '#contract-server-test/support/postgres/postgres.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { failure, type IssuedKeyView, petstore, petstoreJson, success } from '../support/cli/command-line.js';
import { contract, settingList } from '../support/pet-store.js';

interface MigrateResult {
  readonly location: string;
  readonly migrations: readonly { part: string; name: string; wasApplied: boolean }[];
}

/** contract-server tests its commands; this proves that the pet store has them, with its contract and its tables. */
describe('petstore', () => {
  it('--help lists every setting and the commands of the pets, and --version prints that of the contract', async () => {
    const { exitCode, stdout, stderr } = await petstore(['--help']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    for (const { name, description } of settingList) {
      expect(stdout).to.match(new RegExp(`^ {2}${name} `, 'm'));
      expect(stdout).to.contain(description);
    }
    expect(stdout).to.contain('\n  petstore pets import ');
    expect(await petstore(['--version'])).to.deep.equal(success(`${contract.document.info.version}\n`));
  });

  it('exits with 2 and prints the help for `petstore pets`, which is incomplete', async () => {
    const { exitCode, stdout, stderr } = await petstore(['pets']);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    expect(stderr).to.match(/^Usage: petstore pets/);
  });

  it('pets export names the missing database and DATA_DIR, and creates nothing', async () => {
    const directory = join(temporaryDirectory(), 'wrong');
    const message = `the database ${join(directory, 'petstore.db')} does not exist; see DATA_DIR`;
    expect(await petstore(['pets', 'export'], { directory })).to.deep.equal(failure(message));
    expect(existsSync(directory)).to.equal(false);
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

    const stdin = '{"name":"Rex","categoryId":9223372036854775807}\n'.repeat(3);
    await petstore(['pets', 'import', '-'], { directory, stdin });
    const file = join(temporaryDirectory(), 'petstore.db');
    const result = await petstoreJson(['backup', file], { directory });
    expect(result).to.deep.equal({ file, pets: 3, bytes: statSync(file).size, seconds: 0 });
    const restored = { directory: join(file, '..') };
    expect(await petstore(['pets', 'export'], restored)).to.deep.equal(
      await petstore(['pets', 'export'], { directory }),
    );

    const checked = await petstore(['serve', '--check'], { directory });
    expect(checked).to.deep.equal(
      success(`The settings are valid. Checked the database ${join(directory, 'petstore.db')}.\n`),
    );
  });

  describePostgres('with PostgreSQL', () => {
    it('pets export names the missing tables and DATABASE_URL, and creates none, which migrate does', async () => {
      const server = await sharedPostgres();
      const env = { DATABASE_URL: await server.createDatabase() };
      const { exitCode, stderr } = await petstore(['pets', 'export'], { env });
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(
        /^error: PostgreSQL at .*, database .* has no tables of the service; see DATABASE_URL\n$/,
      );
      const tables = "SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = 'public'";
      expect(await server.query(tables, env.DATABASE_URL)).to.deep.equal([{ count: 0 }]);
      const { migrations } = await petstoreJson<MigrateResult>(['migrate'], { env });
      expect(migrations.every(({ wasApplied }) => wasApplied)).to.equal(true);
      expect(await petstore(['pets', 'export'], { env })).to.deep.equal(success());
    });
  });
});
