import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { failure, success } from '@contract-server/test-support/cli/command-line.js';
import { toys } from '@contract-server/test-support/cli/toys.js';
import { toysContract } from '@contract-server/test-support/contract/toys-contract.js';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { program } from '@contract-server/test-support/servers/toys-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { service } from '@contract-server/test-support/toys/toys-service.js';
import { expect } from 'chai';
import { settingsOf } from '#src/config.js';
import { settingsOwner } from '#src/service/definition.js';

const run = promisify(execFile);

/** A module that prints the CommonJS files that a process has loaded when it exits. */
const reportLoadedFiles = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module';
  process.on('exit', () => console.error(Object.keys(createRequire(${JSON.stringify(import.meta.url)}).cache).join()));
`)}`;

describe('toys', () => {
  it('--help lists every setting in columns, and examples', async () => {
    const { exitCode, stdout, stderr } = await toys(['--help']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n');
    const heading = lines.find((line) => /^ {2}NAME +DEFAULT +UNIT +DESCRIPTION$/.test(line)) ?? '';
    for (const { name, default: defaultText, unit, description } of settingsOf(settingsOwner(service.definition))) {
      const line = lines.find((candidate) => candidate.startsWith(`  ${name} `)) ?? '';
      const starts = ['DEFAULT', 'UNIT', 'DESCRIPTION'].map((column) => heading.indexOf(column));
      const cells = starts.map((start, index) => line.slice(start, starts[index + 1]).trim());
      expect(cells, name).to.deep.equal([defaultText || '-', unit, description]);
    }
    expect(stdout).to.contain('\nExamples:\n  toys serve\n');
  });

  it('--version prints the version of the contract', async () => {
    expect(await toys(['--version'])).to.deep.equal(success(`${toysContract.document.info.version}\n`));
  });

  for (const args of [[], ['keys']])
    it(`exits with 2 and prints the help for \`toys ${args.join(' ')}\`, which is incomplete`, async () => {
      const { exitCode, stdout, stderr } = await toys(args);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
      expect(stderr).to.match(/^Usage: toys/);
    });

  it('exits with 2 for an unknown command', async () => {
    expect(await toys(['kyes'])).to.deep.equal(failure("unknown command 'kyes'; did you mean keys?", 2));
  });

  it('--settings names a file that cannot be read, on every version of Node', async () => {
    const file = join(temporaryDirectory(), 'missing');
    const args = [program, '--settings', file, 'keys', 'list'];
    const failed = await run(process.execPath, args).catch((error: unknown) => error);
    const reason = 'is invalid; it cannot be read: no such file or directory\n';
    expect(failed).to.include({ code: 2, stderr: `error: option '--settings <file>' argument '${file}' ${reason}` });
  });

  /** The commands that need existing data. */
  const commands = [
    ...['keys list', 'keys usage', 'keys update key_1 --name a', 'keys unban key_1'],
    ...['keys rotate key_1', 'keys revoke key_1'],
  ];
  for (const command of [...commands, 'backup copy.db', 'copy postgres://127.0.0.1/copy'])
    it(`${command} names the missing database and DATA_DIR, and creates nothing`, async () => {
      const directory = join(temporaryDirectory(), 'wrong');
      const message = `the database ${join(directory, 'toys.db')} does not exist; see DATA_DIR`;
      expect(await toys(command.split(' '), { directory })).to.deep.equal(failure(message));
      expect(existsSync(directory)).to.equal(false);
    });

  describePostgres('with an empty database of PostgreSQL', () => {
    it('names the missing tables and DATABASE_URL, and creates none', async () => {
      const server = await sharedPostgres();
      const url = await server.createDatabase();
      for (const command of commands) {
        const { exitCode, stderr } = await toys(command.split(' '), { env: { DATABASE_URL: url } });
        expect(stderr).to.match(
          /^error: PostgreSQL at .*, database .* has no tables of the service; see DATABASE_URL\n$/,
        );
        expect(exitCode, command).to.equal(1);
      }
      const tables = "SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = 'public'";
      expect(await server.query(tables, url)).to.deep.equal([{ count: 0 }]);
    });
  });

  it('loads neither express nor openapi-backend for a command that needs no server', async () => {
    const env = { ...process.env, DATA_DIR: temporaryDirectory() };
    const args = ['--import', reportLoadedFiles, program, 'migrate'];
    const { stderr: loaded } = await run(process.execPath, args, { env });
    expect(loaded).to.match(/\/node_modules\/better-sqlite3(-node20)?\//);
    expect(loaded).to.not.match(/node_modules.(express|openapi-backend)/);
  });
});
