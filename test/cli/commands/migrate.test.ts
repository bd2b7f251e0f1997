import { expect } from 'chai';
import { petstore, petstoreJson } from '../../support/cli/command-line.js';
import { describePostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

interface MigrateResult {
  readonly location: string;
  readonly applied: number;
  readonly migrations: readonly { database: string; version: number; name: string; wasApplied: boolean }[];
}

const asLines = ({ migrations }: MigrateResult) =>
  migrations.map(
    ({ database, version, name, wasApplied }) => `${database} ${String(version)} ${name} ${String(wasApplied)}`,
  );

describe('petstore migrate', () => {
  it('creates the schemas of the embedded store, and reports no pending migrations the next time', async () => {
    const directory = temporaryDirectory();
    const { exitCode, stdout, stderr } = await petstore(['migrate'], { directory });
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const widest = Math.max(...['DATABASE', 'petstore'].map(({ length }) => length));
    const rows = [
      ['DATABASE', '  MIGRATION  NAME                STATE'],
      ['petstore', '          1  catalogue-and-keys  applied'],
      ['petstore', '          2  idempotency         applied'],
      ['limits', '          1  counters            applied'],
    ];
    const table = rows.map(([database = '', row = '']) => `${database.padEnd(widest)}${row}\n`).join('');
    expect(stdout).to.equal(`${table}\nApplied 3 migrations in ${directory}.\n`);
    const again = await petstore(['migrate'], { directory });
    expect(again.stdout).to.contain('already applied\n').and.to.contain(`No pending migrations in ${directory}.\n`);
    const response = await petstoreJson<MigrateResult>(['migrate'], { directory });
    expect(response).to.include({ location: directory, applied: 0 });
    expect(asLines(response)).to.deep.equal([
      'petstore 1 catalogue-and-keys false',
      'petstore 2 idempotency false',
      'limits 1 counters false',
    ]);
  });
});

describePostgres('petstore on PostgreSQL', () => {
  it('migrates the database and the files of the node', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const dependencies = { directory: temporaryDirectory(), env: { DATABASE_URL: url } };
    const response = await petstoreJson<MigrateResult>(['migrate'], dependencies);
    expect(response.location).to.match(/^PostgreSQL at 127\.0\.0\.1:\d+, database test_\d+$/);
    expect(asLines(response)).to.deep.equal([
      'petstore 1 catalogue-and-keys true',
      'petstore 2 creations-of-several-nodes true',
      'petstore 3 transaction-pooling true',
      'limits 1 counters true',
    ]);
    expect(await petstoreJson<MigrateResult>(['migrate'], dependencies)).to.include({ applied: 0 });
    expect((await petstore(['keys', 'list'], dependencies)).stdout).to.equal(
      `There are no keys in ${response.location}. \`petstore keys create\` issues one.\n`,
    );
  });

  it('rejects a backup, which pg_dump makes', async () => {
    const env = { DATABASE_URL: 'postgres://pets:secret@127.0.0.1:1/pets' };
    expect(await petstore(['backup', 'copy.db'], { env })).to.deep.equal({
      exitCode: 1,
      stdout: '',
      stderr: 'Pets and keys are in PostgreSQL. Back up the database with pg_dump; see docs/operations.md.\n',
    });
  });
});
