import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Output } from '#src/cli/context.js';
import { runProgram } from '#src/cli/program.js';
import { petstore, success, TextOutput } from '../../support/cli/command-line.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const program = fileURLToPath(import.meta.resolve('#src/cli/petstore.js'));
const awkwardNames = [
  'Rex',
  ' a b ',
  'Žofka 🐈‍⬛',
  '"\\/',
  '猫',
  '</script>',
  'a\u2028\u2029',
  '\ufeffa',
  '\u202eabc',
  'null',
];

describe('petstore pets export', () => {
  let directory: string;
  before(async () => {
    directory = temporaryDirectory();
    const lines = Array.from({ length: 5000 }, (_, index) => {
      const name = JSON.stringify(awkwardNames[index % awkwardNames.length]);
      return `{"name":${name},"categoryId":${String(BigInt(index) * 1844674407370955n)},"status":"${['sold', 'pending'][index % 2] ?? ''}"}\n`;
    });
    const run = await petstore(['pets', 'import', '-'], { directory, stdin: lines.join('') });
    expect(run).to.include({ exitCode: 0, stderr: '' });
  });

  const exportAll = async (...options: string[]) =>
    (await petstore(['pets', 'export', ...options], { directory })).stdout;

  it('writes every pet as a Pet, in ascending order of id', async () => {
    const lines = (await exportAll()).split('\n').slice(0, -1);
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).to.deep.equal(
      lines.map((_, index) => index + 1),
    );
    expect(lines).to.have.length(5000);
    expect(lines[1]).to.equal('{"id":2,"name":" a b ","categoryId":1844674407370955,"status":"pending"}');
  });

  it('writes to a file, and reports the number of pets', async () => {
    const file = join(temporaryDirectory(), 'pets.ndjson');
    expect(await petstore(['pets', 'export', file], { directory })).to.deep.equal(
      success(`Exported 5,000 pets to ${file}.\n`),
    );
    expect(readFileSync(file, 'utf8')).to.equal(await exportAll());
    expect(await exportAll('-')).to.equal(await exportAll());
  });

  it('writes a file that only its owner can read, even if others could read it before', async () => {
    const file = join(temporaryDirectory(), 'pets.ndjson');
    const umask = process.umask(0);
    try {
      await petstore(['pets', 'export', file], { directory });
    } finally {
      process.umask(umask);
    }
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    chmodSync(file, 0o644);
    await petstore(['pets', 'export', file], { directory });
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  for (const what of ['pets', 'keys']) {
    it(`does not change the mode of a pipe: ${what}`, async () => {
      const pipe = join(temporaryDirectory(), 'pipe');
      execFileSync('mkfifo', ['--mode=644', pipe]);
      const read = readFile(pipe, 'utf8');
      expect(await petstore([what, 'export', pipe], { directory })).to.include({ exitCode: 0, stderr: '' });
      await read;
      expect(statSync(pipe).mode & 0o777).to.equal(0o644);
    });
  }

  it('is reproduced byte for byte by a catalogue that imported it', async () => {
    const stdin = await exportAll('--without-ids');
    const copy = temporaryDirectory();
    expect(await petstore(['pets', 'import', '-'], { directory: copy, stdin })).to.include({ exitCode: 0, stderr: '' });
    expect((await petstore(['pets', 'export'], { directory: copy })).stdout).to.equal(await exportAll());
    expect((await petstore(['pets', 'export', '--without-ids'], { directory: copy })).stdout).to.equal(stdin);
  });

  it('exits with 1 and the reason when the file cannot be written', async () => {
    const run = await petstore(['pets', 'export', join(directory, 'missing', 'file')], { directory });
    expect(run).to.include({ exitCode: 1, stdout: '' });
    expect(run.stderr).to.match(/^error: ENOENT: no such file or directory, open '.+file'\n$/);
  });

  it('waits for a slow reader', async () => {
    const pending: (() => void)[] = [];
    let chunks = 0;
    const stdout: Output = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        chunks += 1;
        pending.push(done);
        this.emit('chunk');
      },
    });
    const context = { stdin: process.stdin, stdout, stderr: new TextOutput(), clock: Date.now };
    const signals = { once: () => undefined, exit: () => undefined };
    const chunk = once(stdout, 'chunk');
    const ended = runProgram(['pets', 'export'], { ...context, signals, env: { DATA_DIR: directory } });
    await chunk;
    // After these event-loop ticks, the export cannot continue until its output is read.
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(chunks).to.equal(1);
    expect(stdout.writableLength).to.be.below(200_000);
    stdout.on('chunk', () => pending.pop()?.());
    pending.pop()?.();
    expect(await ended).to.equal(0);
    expect(chunks).to.be.above(2);
    expect(stdout.writableEnded).to.equal(false);
  });

  it('exits silently when its reader closes the pipe', async () => {
    const child = spawn(process.execPath, [program, 'pets', 'export'], {
      env: { ...process.env, DATA_DIR: directory },
    });
    const errors = text(child.stderr);
    const closed = once(child, 'close');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await closed).to.deep.equal([0, null]);
    // An export that takes longer than a second shows its progress.
    expect((await errors).replace(/^\d+ pets so far\.\n/gm, '')).to.equal('');
  });

  it('writes to a pipe that an import reads', async () => {
    const env = { ...process.env, DATA_DIR: temporaryDirectory() };
    const child = spawn(process.execPath, [program, 'pets', 'import', '-', '--json'], { env });
    const response = text(child.stdout);
    child.stdin.end(await exportAll('--without-ids'));
    expect(await once(child, 'close')).to.deep.equal([0, null]);
    expect(JSON.parse(await response)).to.include({ imported: 5000, invalidLines: 0 });
  });
});
