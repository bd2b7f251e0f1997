import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { failure, petstore, success, TextOutput } from '../../support/cli/command-line.js';

const program = fileURLToPath(import.meta.resolve('#src/petstore.js'));
const petCount = 5000;

describe('petstore pets export', () => {
  let directory: string;
  before(async () => {
    directory = temporaryDirectory();
    const pets = Array.from({ length: petCount }, (_, index) => `{"name":"Žofka 🐈","categoryId":${String(index)}}\n`);
    await petstore(['pets', 'import', '-'], { directory, stdin: pets.join('') });
  });

  const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
  const lines = Array.from({ length: petCount }, (_, index) => {
    return `{"id":${String(index + 1)},"name":"Žofka 🐈","categoryId":${String(index)},"status":"available"}\n`;
  });

  it('writes every pet as a Pet, in ascending order of id', async () => {
    for (const file of [[], ['-']]) {
      const { stdout } = await petstore(['pets', 'export', ...file], { directory });
      expect(stdout === lines.join('')).to.equal(true);
    }
  });

  it('writes to a file that only its owner can read, and reports the number of pets', async () => {
    const file = join(temporaryDirectory(), 'pets.ndjson');
    const umask = process.umask(0);
    const run = await petstore(['pets', 'export', file], { directory }).finally(() => process.umask(umask));
    expect(run).to.deep.equal(success(`Exported 5,000 pets to ${file}.\n`));
    expect(readFileSync(file, 'utf8') === lines.join('')).to.equal(true);
    expect(modeOf(file)).to.equal('600');
  });

  for (const what of ['pets', 'keys']) {
    it(`overwrites a file only with --force, and then makes it private: ${what}`, async () => {
      const file = join(temporaryDirectory(), 'export.ndjson');
      writeFileSync(file, 'what was there before', { mode: 0o644 });
      const message = `${file} exists; choose another name, or overwrite it with --force`;
      expect(await petstore([what, 'export', file], { directory })).to.deep.equal(failure(message));
      expect(readFileSync(file, 'utf8')).to.equal('what was there before');
      expect(await petstore([what, 'export', file, '--force'], { directory })).to.include({ exitCode: 0, stderr: '' });
      expect(readFileSync(file, 'utf8')).to.equal((await petstore([what, 'export'], { directory })).stdout);
      expect(modeOf(file)).to.equal('600');
    });

    it(`does not change the mode of a pipe: ${what}`, async () => {
      const pipe = join(temporaryDirectory(), 'pipe');
      execFileSync('mkfifo', ['--mode=644', pipe]);
      const read = readFile(pipe, 'utf8');
      expect(await petstore([what, 'export', pipe], { directory })).to.include({ exitCode: 0, stderr: '' });
      await read;
      expect(modeOf(pipe)).to.equal('644');
    });
  }

  it('waits for a slow reader', async () => {
    const stdout = new TextOutput();
    stdout.cork();
    const ended = petstore(['pets', 'export'], { directory, stdout });
    // After many event-loop ticks, the export has written one chunk, and waits until it is read.
    while (stdout.writableLength === 0) await new Promise((resolve) => setImmediate(resolve));
    for (let tick = 0; tick < 100; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(stdout.writableLength).to.be.below(100_000);
    stdout.uncork();
    expect(await ended).to.include({ exitCode: 0 });
    expect(stdout.text === lines.join('')).to.equal(true);
    expect(stdout.writableEnded).to.equal(false);
  });

  /** Runs a pipeline of commands of the real program, which fails if one of them does. */
  const pipeline = (commands: string) => {
    const env = { ...process.env, DATA_DIR: directory, COPY: temporaryDirectory() };
    const script = `set -o pipefail; petstore() { '${process.execPath}' '${program}' "$@"; }; ${commands}`;
    return promisify(execFile)('bash', ['-c', script], { env });
  };

  it('exits silently when its reader closes the pipe', async () => {
    const { stdout, stderr } = await pipeline('petstore pets export | head -n 1');
    expect(stdout).to.equal(lines[0]);
    // An export that takes longer than a second shows its progress.
    expect(stderr.replace(/^\d+ pets so far\.\n/gm, '')).to.equal('');
  });

  it('writes to a pipe that an import reads, which results in an equal catalogue', async () => {
    const { stdout } = await pipeline(
      'petstore pets export --without-ids | DATA_DIR="$COPY" petstore pets import - --json >&2; DATA_DIR="$COPY" petstore pets export',
    );
    expect(stdout === lines.join('')).to.equal(true);
  });
});
