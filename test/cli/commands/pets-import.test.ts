import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { requireBodyRule } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { petstore, petstoreJson, TextOutput } from '../../support/cli/command-line.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const { document } = await readContract(contractUrl);
const { bytesMax } = requireBodyRule(document, 'createPet');

const rex = '{"name":"Rex","categoryId":7}';
const mia = '{"name":"Mia","categoryId":-3,"status":"sold"}';
const storedRex = '{"id":1,"name":"Rex","categoryId":7,"status":"available"}\n';

describe('petstore pets import', () => {
  let directory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
  });

  const importText = (text: string, ...options: string[]) =>
    petstore(['pets', 'import', '-', ...options], { directory, stdin: text });
  const importBytes = (...chunks: Buffer[]) =>
    petstore(['pets', 'import', '-'], { directory, stdin: Readable.from(chunks) });
  const catalogue = async () => (await petstore(['pets', 'export'], { directory })).stdout;

  it('adds the pets of a file in their order, with the defaults of the contract', async () => {
    const file = join(directory, 'pets.ndjson');
    writeFileSync(file, `${rex}\n${mia}\n`);
    expect(await petstore(['pets', 'import', file], { directory })).to.deep.equal({
      exitCode: 0,
      stdout: 'Imported 2 pets in 0.0 s.\n',
      stderr: '',
    });
    expect(await catalogue()).to.equal(`${storedRex}{"id":2,"name":"Mia","categoryId":-3,"status":"sold"}\n`);
  });

  it('prints a summary with --json', async () => {
    const summary = await petstoreJson(['pets', 'import', '-'], { directory, stdin: `${rex}\n${mia}\n` });
    expect(summary).to.deep.equal({ validLines: 2, invalidLines: 0, imported: 2, dryRun: false, seconds: 0 });
  });

  it('accepts CR LF, blank lines, and a last line without an ending', async () => {
    expect(await importText(`\r\n${rex}\r\n \t\r\n\n${mia}`)).to.include({
      exitCode: 0,
      stdout: 'Imported 2 pets in 0.0 s.\n',
    });
  });

  it('accepts a file without pets', async () => {
    for (const text of ['', '\n', '\r\n \n']) {
      expect(await importText(text), JSON.stringify(text)).to.include({
        exitCode: 0,
        stdout: 'Imported 0 pets in 0.0 s.\n',
      });
    }
  });

  it('splits lines at bytes, regardless of chunk boundaries', async () => {
    const bytes = Buffer.from(`{"name":"Žofka 🐈","categoryId":1}\r\n${rex}\r\n`);
    const run = await importBytes(...Array.from(bytes, (byte) => Buffer.of(byte)));
    expect(run).to.include({ exitCode: 0, stderr: '' });
    expect(await catalogue()).to.equal(
      `{"id":1,"name":"Žofka 🐈","categoryId":1,"status":"available"}\n${storedRex.replace('1', '2')}`,
    );
  });

  it('keeps 64-bit integers exact', async () => {
    const extremes = ['9223372036854775807', '-9223372036854775808', '9007199254740993'];
    expect(await importText(extremes.map((id) => `{"name":"a","categoryId":${id}}\n`).join(''))).to.include({
      exitCode: 0,
    });
    expect((await catalogue()).match(/(?<="categoryId":)-?\d+/g)).to.deep.equal(extremes);
  });

  const invalidText = `${rex}\n{"name":"","categoryId":1.5,"id":9}\n\n${mia}\n[]\n`;
  const errors =
    'Line 2: Field id is unknown. Allowed: name, categoryId, status. ' +
    'Field name must have at least one visible character, and no control characters. ' +
    'Field categoryId must be an integer from -9223372036854775808 to 9223372036854775807.\n' +
    'Line 5: The line must be a JSON object.\n';

  it('reports every invalid line, and imports nothing', async () => {
    expect(await importText(invalidText)).to.deep.equal({
      exitCode: 1,
      stdout: 'Invalid lines: 2 of 4. Nothing was imported. Correct them, or import the others with --keep-going.\n',
      stderr: errors,
    });
    expect(await catalogue()).to.equal('');
  });

  it('imports nothing if an invalid line follows valid ones in an earlier chunk', async () => {
    const run = await importBytes(Buffer.from(`${rex}\n`), Buffer.from('{}\n'), Buffer.from(`${mia}\n`));
    expect(run.exitCode).to.equal(1);
    expect(await catalogue()).to.equal('');
  });

  it('imports the valid lines with --keep-going, and still exits with 1', async () => {
    expect(await importText(invalidText, '--keep-going')).to.deep.equal({
      exitCode: 1,
      stdout: 'Imported 2 pets in 0.0 s. Invalid lines: 2 of 4.\n',
      stderr: errors,
    });
    expect(await catalogue()).to.equal(`${storedRex}{"id":2,"name":"Mia","categoryId":-3,"status":"sold"}\n`);
  });

  it('only validates with --dry-run, without opening the data', async () => {
    directory = join(directory, 'nowhere');
    expect(await importText(`${rex}\n`, '--dry-run')).to.deep.equal({
      exitCode: 0,
      stdout: 'Invalid lines: 0 of 1. Nothing was imported (--dry-run).\n',
      stderr: '',
    });
    const { exitCode, stdout, stderr } = await importText(invalidText, '--dry-run', '--json', '--keep-going');
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 1, stderr: errors });
    expect(JSON.parse(stdout)).to.deep.equal({ validLines: 2, invalidLines: 2, imported: 0, dryRun: true, seconds: 0 });
    mkdirSync(directory); // Throws if the commands made it.
  });

  it('rejects a line with invalid UTF-8, and no other line', async () => {
    const run = await importBytes(
      Buffer.from(`${rex}\n{"name":"`),
      Buffer.of(0xff),
      Buffer.from(`","categoryId":1}\n${mia}\n`),
    );
    expect(run.stderr).to.equal('Line 2: The line is not valid JSON: invalid UTF-8.\n');
    expect(run.stdout).to.contain('Invalid lines: 1 of 3.');
  });

  it('accepts a line of the maximum body size, and rejects one of a byte more', async () => {
    const longest = rex.padEnd(bytesMax);
    expect(await importText(`${longest}\r\n${longest}\n${longest}`)).to.include({ exitCode: 0, stderr: '' });
    const message = `The line exceeds ${String(bytesMax)} bytes. Shorten it.\n`;
    expect(await importText(`${longest} \n${rex}\n${longest} \r\n${longest}\r \n${longest} `)).to.include({
      exitCode: 1,
      stderr: `Line 1: ${message}Line 3: ${message}Line 4: ${message}Line 5: ${message}`,
    });
  });

  it('escapes control characters of a file', async () => {
    const { stderr } = await importText('{"name":"a","categoryId":1,"\u009b2J":1}\n');
    expect(stderr).to.equal('Line 1: Field \\u{9b}2J is unknown. Allowed: name, categoryId, status.\n');
  });

  it('exits with 1 and the reason when the file does not exist', async () => {
    const { exitCode, stdout, stderr } = await petstore(['pets', 'import', join(directory, 'missing')], { directory });
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 1, stdout: '' });
    expect(stderr).to.match(/^ENOENT: no such file or directory, .+missing'\n$/);
  });

  it('exits with 2 without a file', async () => {
    expect(await petstore(['pets', 'import'])).to.include({
      exitCode: 2,
      stderr: "error: missing required argument 'file'\n",
    });
  });

  it('shows no progress within the first second', async () => {
    const stderr = new TextOutput(true);
    await petstore(['pets', 'import', '-'], { directory, stdin: `${rex}\n`, stderr });
    expect(stderr.text).to.equal('');
  });

  describe('that takes longer than a second', () => {
    /** A clock that advances by a second at each call. */
    const slowClock = () => {
      let now = 0;
      return () => (now += 1000);
    };
    const chunks = () => Readable.from(Array.from({ length: 60 }, () => Buffer.from(`${rex}\n`)));

    it('prints a line of progress every 10 s without a terminal', async () => {
      const { stderr, exitCode } = await petstore(['pets', 'import', '-'], {
        directory,
        stdin: chunks(),
        clock: slowClock(),
      });
      const lines = stderr.split('\n').slice(0, -1);
      expect(exitCode).to.equal(0);
      expect(lines.at(-1)).to.equal('Moving 60 pets into the catalogue.');
      expect(lines.slice(0, -1)).to.have.length.within(5, 40);
      for (const line of lines.slice(0, -1)) expect(line).to.match(/^(1 pet|\d+ pets) so far\.$/);
    });

    it('shows which share of a file it has read', async () => {
      const file = join(directory, 'pets.ndjson');
      writeFileSync(file, `${rex}\n`);
      const { stderr } = await petstore(['pets', 'import', file], { directory, clock: slowClock() });
      expect(stderr).to.match(/^1 pet so far, 100%\.\n/);
    });

    it('shows no share if the size is unknown', async () => {
      const { stderr } = await petstore(['pets', 'import', '/dev/null'], { directory, clock: slowClock() });
      expect(stderr).to.equal('0 pets so far.\nMoving 0 pets into the catalogue.\n');
    });

    it('draws a bar on a terminal, and removes it for error messages and at the end', async () => {
      const file = join(directory, 'pets.ndjson');
      writeFileSync(file, `${rex}\n${'\n'.repeat(600_000)}{}\n`);
      const stderr = new TextOutput(true);
      await petstore(['pets', 'import', file], { directory, clock: slowClock(), stderr });
      const [before = '', after = ''] = stderr.text.split('Line 600002: ');
      const eraseLine = '\u001b[1G\u001b[2K';
      expect(before).to.match(/=+-* *\d+% {2}1 pet\b/);
      expect([before, after].map((text) => text.endsWith(eraseLine))).to.deep.equal([true, true]);
    });
  });
});
