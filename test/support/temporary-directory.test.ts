import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { temporaryDirectory } from './temporary-directory.js';

describe('a temporary directory of a test', () => {
  it('is removed when the test run ends, with the copies that a test made beside it', () => {
    const home = temporaryDirectory();
    const script = `
      import { cpSync, writeFileSync } from 'node:fs';
      import { temporaryDirectory } from ${JSON.stringify(import.meta.resolve('./temporary-directory.js'))};
      const directory = temporaryDirectory();
      writeFileSync(directory + '/file', 'text');
      cpSync(directory, directory + '-0', { recursive: true });
    `;
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, TMPDIR: home },
    });
    expect(readdirSync(home)).to.deep.equal([]);
  });
});
