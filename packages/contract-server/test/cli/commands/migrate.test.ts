import { failure } from '@contract-server/test-support/cli/command-line.js';
import { toys, toysJson } from '@contract-server/test-support/cli/toys.js';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

interface MigrateResult {
  readonly location: string;
  readonly applied: number;
  readonly migrations: readonly { part: string; version: number; name: string; wasApplied: boolean }[];
}

const first = { part: 'api-keys', version: 1, name: 'api-keys' };

describe('toys migrate', () => {
  it('creates the schema of the embedded store, and reports no pending migrations the next time', async () => {
    const directory = temporaryDirectory();
    const { exitCode, stdout, stderr } = await toys(['migrate'], { directory });
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect(stdout).to.match(/^PART +MIGRATION {2}NAME +STATE\napi-keys +1 {2}api-keys +applied\n/);
    expect(stdout).to.match(/\n\nApplied \d migrations? in .*\.\n$/);
    const again = await toys(['migrate'], { directory });
    expect(again.stdout).to.contain('already applied\n').and.to.contain(`No pending migrations in ${directory}.\n`);
    const result = await toysJson<MigrateResult>(['migrate'], { directory });
    expect(result).to.include({ location: directory, applied: 0 });
    expect(result.migrations[0]).to.deep.equal({ ...first, wasApplied: false });
  });
});

describePostgres('toys on PostgreSQL', () => {
  it('migrates the database', async () => {
    const options = { env: { DATABASE_URL: await (await sharedPostgres()).createDatabase() } };
    const { location, migrations } = await toysJson<MigrateResult>(['migrate'], options);
    expect(location).to.match(/^PostgreSQL at 127\.0\.0\.1:\d+, database test_\w+$/);
    expect(migrations[0]).to.deep.equal({ ...first, wasApplied: true });
    expect(migrations.every(({ wasApplied }) => wasApplied)).to.equal(true);
    expect(await toysJson<MigrateResult>(['migrate'], options)).to.include({ applied: 0 });
  });

  it('rejects a backup, which pg_dump makes', async () => {
    const env = { DATABASE_URL: 'postgres://toys:secret@127.0.0.1:1/toys' };
    const message = 'the data is in PostgreSQL; back up the database with pg_dump';
    expect(await toys(['backup', 'copy.db'], { env })).to.deep.equal(failure(message));
  });
});
