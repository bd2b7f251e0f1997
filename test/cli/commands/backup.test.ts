import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { failure, petstore, petstoreJson } from '../../support/cli/command-line.js';
import { corruptDatabase } from '../../support/fault-injection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('petstore backup', () => {
  let directory: string;
  let place: string;
  let file: string;
  beforeEach(async () => {
    directory = temporaryDirectory();
    place = temporaryDirectory();
    file = join(place, 'copy.db');
    const stdin = '{"name":"Rex","categoryId":9223372036854775807}\n'.repeat(3000);
    await petstoreJson(['pets', 'import', '-'], { directory, stdin });
    await petstoreJson(['keys', 'create', '--name', 'shop', '--plan', 'pro'], { directory });
  });

  const exported = async (from: string) => (await petstore(['pets', 'export'], { directory: from })).stdout;

  it('copies pets and keys into one private file and reports its contents', async () => {
    const run = await petstore(['backup', file], { directory });
    const bytes = statSync(file).size;
    expect(run).to.deep.equal({
      exitCode: 0,
      stdout: `Backed up 3,000 pets to ${file}: ${bytes.toLocaleString('en-US')} bytes in 0.0 s.\n`,
      stderr: '',
    });
    expect(readdirSync(place)).to.deep.equal(['copy.db']);
    expect((statSync(file).mode & 0o777).toString(8)).to.equal('600');

    const restored = join(place, 'data');
    mkdirSync(restored);
    writeFileSync(join(restored, 'petstore.db'), readFileSync(file));
    expect(await exported(restored)).to.equal(await exported(directory));
    const keys = (from: string) => petstoreJson(['keys', 'list'], { directory: from });
    expect(await keys(restored)).to.deep.equal(await keys(directory));
  });

  it('prints JSON with --json', async () => {
    expect(await petstoreJson(['backup', file], { directory })).to.deep.equal({
      file,
      pets: 3000,
      bytes: statSync(file).size,
      seconds: 0,
    });
  });

  it('overwrites an existing file only with --force', async () => {
    writeFileSync(file, 'precious');
    const run = await petstore(['backup', file], { directory });
    expect(run).to.deep.equal(failure(`${file} exists; choose another name, or overwrite it with --force`));
    expect(readFileSync(file, 'utf8')).to.equal('precious');
    expect((await petstore(['backup', file, '--force'], { directory })).exitCode).to.equal(0);
    expect(readFileSync(file, 'latin1')).to.match(/^SQLite format 3/);
    expect((statSync(file).mode & 0o777).toString(8)).to.equal('600');
  });

  it('rejects the names of the files of the service', async () => {
    for (const name of ['petstore.db', 'petstore.db-wal', 'server.lock']) {
      const run = await petstore(['backup', join(directory, name), '--force'], { directory });
      expect(run).to.deep.equal(failure(`${join(directory, name)} is a file of the service; choose another name`));
    }
    expect((await exported(directory)).split('\n')).to.have.lengthOf(3001);
  });

  it('replaces only regular files, no link, directory or pipe, even with --force', async () => {
    const [link, pipe] = [join(place, 'link'), join(place, 'pipe')];
    symlinkSync(join(place, 'nowhere'), link);
    execFileSync('mkfifo', [pipe]);
    for (const name of [link, pipe, place]) {
      const run = await petstore(['backup', name, '--force'], { directory });
      expect(run).to.deep.equal(failure(`${name} is not a regular file; choose another name`));
    }
    expect(lstatSync(link).isSymbolicLink()).to.equal(true);
    expect(lstatSync(pipe).isFIFO()).to.equal(true);
    const tooLong = await petstore(['backup', join(place, 'x'.repeat(250))], { directory });
    expect(tooLong.exitCode).to.equal(1);
    expect(tooLong.stderr).to.match(/^error: the backup failed: ENAMETOOLONG: .*\n$/);
    expect(readdirSync(place).sort()).to.deep.equal(['link', 'pipe']);
  });

  it('does not create a database where there is none', async () => {
    const empty = temporaryDirectory();
    const run = await petstore(['backup', file], { directory: empty });
    expect(run).to.deep.equal(failure(`the database ${join(empty, 'petstore.db')} does not exist; see DATA_DIR`));
    expect([readdirSync(empty), readdirSync(place)]).to.deep.equal([[], []]);
  });

  it('reports in one sentence that the file is not a database', async () => {
    const garbage = temporaryDirectory();
    writeFileSync(join(garbage, 'petstore.db'), 'x'.repeat(10_000));
    expect(await petstore(['backup', file], { directory: garbage })).to.deep.equal(
      failure('the backup failed: file is not a database'),
    );
    expect(readdirSync(place)).to.deep.equal([]);
  });

  it('does not disturb a concurrent backup to the same file, even with the same process id', async () => {
    const runs = await Promise.all([1, 2].map(() => petstore(['backup', file, '--force'], { directory })));
    expect(runs.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).to.deep.equal([
      { exitCode: 0, stderr: '' },
      { exitCode: 0, stderr: '' },
    ]);
    expect(readdirSync(place)).to.deep.equal(['copy.db']);
  });

  it('leaves no file behind when it fails, is stopped, or finds damage', async () => {
    const nowhere = await petstore(['backup', join(place, 'missing', 'copy.db')], { directory });
    expect(nowhere).to.deep.equal(failure(`the directory ${join(place, 'missing')} does not exist`));

    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
      const listeners = new Map<string, () => void>();
      const signals = {
        once: (signal: string, listener: () => void) => listeners.set(signal, listener),
        exit: () => undefined,
      };
      const stopped = petstore(['backup', file], { directory, signals });
      while (!listeners.has(name)) await new Promise((resolve) => setImmediate(resolve));
      listeners.get(name)?.();
      expect(await stopped).to.deep.equal(failure('the backup was stopped; no file was written'));
      expect(readdirSync(place)).to.deep.equal([]);
    }

    corruptDatabase({ directory });
    const corrupted = await petstore(['backup', file], { directory });
    expect(corrupted).to.include({ exitCode: 1, stdout: '' });
    expect(corrupted.stderr).to.match(/^error: the (database is damaged|backup failed): /);
    expect(readdirSync(place)).to.deep.equal([]);
  });

  it('copies a consistent state while another process writes', async () => {
    const other = new Database(join(directory, 'petstore.db'));
    let written = 0;
    const writing = setInterval(() => {
      other.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Mia', ${String((written += 1))}, 'sold')`);
    }, 0);
    const { pets } = await petstoreJson<{ pets: number }>(['backup', file], { directory });
    clearInterval(writing);
    other.close();
    expect(pets).to.be.within(3000, 3000 + written);
  });
});
