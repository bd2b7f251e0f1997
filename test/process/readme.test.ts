import { readFile } from 'node:fs/promises';
import { permissions } from '@contract-server/test-support/rate-limits/quota.js';
import { expect } from 'chai';
import { petstore } from '../support/cli/command-line.js';
import { codeOf } from '../support/docs/command-blocks.js';

const root = new URL('../../../', import.meta.url);
const operations = await readFile(new URL('docs/operations.md', root), 'utf8');

describe('the README', () => {
  it('has one line to install and start, one for a container, and one to install and test', () => {
    const [start, container, test] = codeOf('README.md', 'sh');
    expect([start, test]).to.deep.equal(['npm ci && npm start\n', 'npm ci && npm test\n']);
    expect(container).to.match(/^docker build -t petstore \. && docker run /);
  });
});

describe('docs/operations.md', () => {
  it('lists the permissions of a restricted user of Redis', () => {
    expect(operations).to.include(`\`~petstore:* ${permissions}\``);
  });

  it('names only existing commands', async () => {
    const commands = [...operations.matchAll(/`petstore ([a-z]+(?: [a-z]+)?)/g)].map(([, words = '']) => words);
    expect(commands).to.include.members(['serve', 'keys create', 'copy']);
    for (const words of commands) expect((await petstore([...words.split(' '), '--help'])).exitCode, words).to.equal(0);
  });
});
