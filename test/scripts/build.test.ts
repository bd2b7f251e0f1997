import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { copyProject } from '../support/copy-project.js';

describe('npm run build', function () {
  this.timeout(180_000);

  it('deletes from dist/ what the sources no longer contain, and nothing else', async () => {
    const directory = await copyProject();
    const build = async () => {
      await promisify(execFile)(process.execPath, ['scripts/build.js'], { cwd: directory });
      return (await readdir(join(directory, 'dist'), { recursive: true })).sort();
    };
    const before = await build();
    const added = ['removed/removed.ts', 'migrations/sqlite/9999-removed.sql', 'pets/removed.css'];
    for (const path of added.map((each) => join(directory, 'src', each))) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, '');
    }
    const compiled = ['.js', '.js.map', '.d.ts', '.d.ts.map'].map((extension) => `removed/removed${extension}`);
    expect(await build()).to.have.members([...before, 'removed', ...compiled, ...added.slice(1)]);
    for (const path of ['removed', ...added.slice(1)]) await rm(join(directory, 'src', path), { recursive: true });
    expect(await build()).to.deep.equal(before);
  });
});
