import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure, type RunOptions } from '@contract-server/test-support/cli/command-line.js';
import { toys, toysJson } from '@contract-server/test-support/cli/toys.js';
import { corruptDatabase, openBeside } from '@contract-server/test-support/fault-injection.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

describe('toys backup', () => {
  let directory: string;
  let place: string;
  let file: string;
  beforeEach(async () => {
    [directory, place] = [temporaryDirectory(), temporaryDirectory()];
    file = join(place, 'copy.db');
    await toysJson(['keys', 'create', '--name', 'shop', '--plan', 'pro'], { directory });
    const database = openBeside({ directory });
    const weights = 'WITH RECURSIVE weights (weight) AS (SELECT 1 UNION ALL SELECT weight + 1 FROM weights LIMIT 3000)';
    database.exec(`${weights} INSERT INTO toys (name, weight) SELECT 'Block', weight FROM weights`);
    database.close();
  });

  const backUp = (to = file, force = false, options: RunOptions = {}) =>
    toys(['backup', to, ...(force ? ['--force'] : [])], { directory, ...options });
  const rowsIn = (from: string) => {
    const database = openBeside({ directory: from });
    const rows = ['toys', 'api_keys', 'quotas'].map((table) => database.prepare(`SELECT * FROM ${table}`).all());
    database.close();
    return rows;
  };
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('copies the rows of the application and the keys into one private file and reports its contents', async () => {
    const { exitCode, stdout, stderr } = await backUp();
    const bytes = statSync(file).size;
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect(stdout).to.equal(`Backed up 3,000 toys to ${file}: ${bytes.toLocaleString('en-US')} bytes in 0.0 s.\n`);
    expect([readdirSync(place), modeOf(file)]).to.deep.equal([['copy.db'], '600']);

    const restored = join(place, 'data');
    mkdirSync(restored);
    writeFileSync(join(restored, 'toys.db'), readFileSync(file));
    const rows = rowsIn(restored);
    expect(rows.map(({ length }) => length)).to.deep.equal([3000, 1, 1]);
    expect(rows).to.deep.equal(rowsIn(directory));
  });

  it('prints JSON with --json', async () => {
    const result = await toysJson(['backup', file], { directory });
    expect(result).to.deep.equal({ file, toys: 3000, bytes: statSync(file).size, seconds: 0 });
  });

  it('overwrites an existing file only with --force', async () => {
    writeFileSync(file, 'precious');
    expect(await backUp()).to.deep.equal(failure(`${file} exists; choose another name, or overwrite it with --force`));
    expect(readFileSync(file, 'utf8')).to.equal('precious');
    expect((await backUp(file, true)).exitCode).to.equal(0);
    expect(readFileSync(file, 'latin1')).to.match(/^SQLite format 3/);
    expect(modeOf(file)).to.equal('600');
  });

  it('rejects the names of the files of the service', async () => {
    for (const name of ['toys.db', 'toys.db-wal', 'server.lock']) {
      const message = `${join(directory, name)} is a file of the service; choose another name`;
      expect(await backUp(join(directory, name), true)).to.deep.equal(failure(message));
    }
  });

  it('replaces only regular files, no link, directory or pipe, even with --force', async () => {
    const [link, pipe] = [join(place, 'link'), join(place, 'pipe')];
    symlinkSync(join(place, 'nowhere'), link);
    execFileSync('mkfifo', [pipe]);
    for (const name of [link, pipe, place])
      expect(await backUp(name, true)).to.deep.equal(failure(`${name} is not a regular file; choose another name`));
    expect([lstatSync(link).isSymbolicLink(), lstatSync(pipe).isFIFO()]).to.deep.equal([true, true]);
    expect(readdirSync(place).sort()).to.deep.equal(['link', 'pipe']);
  });

  it('does not create a database where there is none', async () => {
    const empty = temporaryDirectory();
    const message = `the database ${join(empty, 'toys.db')} does not exist; see DATA_DIR`;
    expect(await backUp(file, false, { directory: empty })).to.deep.equal(failure(message));
    expect([readdirSync(empty), readdirSync(place)]).to.deep.equal([[], []]);
  });

  it('does not disturb a concurrent backup to the same file, even with the same process id', async () => {
    for (const { exitCode, stderr } of await Promise.all([backUp(file, true), backUp(file, true)]))
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect(readdirSync(place)).to.deep.equal(['copy.db']);
  });

  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    it(`leaves no file behind after ${name}`, async () => {
      const listeners = new Map<string, () => void>();
      const once = (signal: string, listener: () => void) => listeners.set(signal, listener);
      const stopped = backUp(file, false, { signals: { once, exit: () => undefined } });
      while (!listeners.has(name)) await new Promise((resolve) => setImmediate(resolve));
      listeners.get(name)?.();
      expect(await stopped).to.deep.equal(failure('the backup was stopped; no file was written'));
      expect(readdirSync(place)).to.deep.equal([]);
    });

  it('leaves no file behind and reports the reason when it fails, or finds damage', async () => {
    const missing = join(place, 'missing');
    expect(await backUp(join(missing, 'copy.db'))).to.deep.equal(failure(`the directory ${missing} does not exist`));
    expect((await backUp(join(place, 'x'.repeat(250)))).stderr).to.match(/^error: the backup failed: ENAMETOOLONG: /);
    corruptDatabase({ directory });
    const corrupted = await backUp();
    expect(corrupted).to.include({ exitCode: 1, stdout: '' });
    expect(corrupted.stderr).to.match(/^error: the (database is damaged|backup failed): /);
    writeFileSync(join(directory, 'toys.db'), 'x'.repeat(10_000));
    expect(await backUp()).to.deep.equal(failure('the backup failed: file is not a database'));
    expect(readdirSync(place)).to.deep.equal([]);
  });

  it('copies a consistent state while another process writes', async () => {
    const other = openBeside({ directory });
    let written = 0;
    const writing = setInterval(() => {
      other.exec(`INSERT INTO toys (name, weight) VALUES ('Ball', ${String((written += 1))})`);
    }, 0);
    const { toys: copied } = await toysJson<{ toys: number }>(['backup', file], { directory });
    clearInterval(writing);
    other.close();
    expect(copied).to.be.within(3000, 3000 + written);
  });
});
