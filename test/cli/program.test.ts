import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { settingList } from '#src/config.js';
import { failure, petstore, success } from '../support/cli/command-line.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);
const program = fileURLToPath(import.meta.resolve('#src/cli/petstore.js'));

/** A module that prints the CommonJS files that a process has loaded when it exits. */
const reportLoadedFiles = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module';
  process.on('exit', () => console.error(Object.keys(createRequire(${JSON.stringify(import.meta.url)}).cache).join()));
`)}`;

describe('petstore', () => {
  it('--help lists every setting in columns, and examples', async () => {
    const { exitCode, stdout, stderr } = await petstore(['--help']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n');
    const heading = lines.find((line) => /^ {2}NAME +DEFAULT +UNIT +DESCRIPTION$/.test(line)) ?? '';
    for (const { name, default: defaultText, unit, description } of settingList) {
      const line = lines.find((candidate) => candidate.startsWith(`  ${name} `)) ?? '';
      const starts = ['DEFAULT', 'UNIT', 'DESCRIPTION'].map((column) => heading.indexOf(column));
      const cells = starts.map((start, index) => line.slice(start, starts[index + 1]).trim());
      expect(cells, name).to.deep.equal([defaultText || '-', unit, description]);
    }
    expect(stdout).to.contain('\nExamples:\n  petstore serve\n');
  });

  it('--version prints the version of the contract', async () => {
    expect(await petstore(['--version'])).to.deep.equal(success('1.0.0\n'));
  });

  for (const args of [[], ['keys'], ['pets']])
    it(`exits with 2 and prints the help for \`petstore ${args.join(' ')}\`, which is incomplete`, async () => {
      const { exitCode, stdout, stderr } = await petstore(args);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
      expect(stderr).to.match(/^Usage: petstore/);
    });

  it('exits with 2 for an unknown command', async () => {
    expect(await petstore(['kyes'])).to.deep.equal(failure("unknown command 'kyes'; did you mean keys?", 2));
  });

  it('loads neither express nor openapi-backend for a command that needs no server', async () => {
    const env = { ...process.env, DATA_DIR: temporaryDirectory() };
    const args = ['--import', reportLoadedFiles, program, 'keys', 'list'];
    const { stderr: loaded } = await run(process.execPath, args, { env });
    expect(loaded).to.contain('/node_modules/better-sqlite3/');
    expect(loaded).to.not.match(/node_modules.(express|openapi-backend)/);
  });
});
