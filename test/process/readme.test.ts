import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { permissions } from '#contract-server-test/support/rate-limits/quota.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { petstore } from '../support/cli/command-line.js';
import { npmStart } from '../support/servers/npm-start.js';
import { ServerProcess } from '../support/servers/server-process.js';

const run = promisify(execFile);
const root = new URL('../../../', import.meta.url);
const readme = await readFile(new URL('README.md', root), 'utf8');
const operations = await readFile(new URL('docs/operations.md', root), 'utf8');

const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);

/** The commands of transcripts, and their outputs. */
const transcripts = blocks('console').flatMap((text) =>
  [...text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, command = '', output = '']) => ({ command, output })),
);

describe('the README', () => {
  it('has one line to install and start, one for a container, and one to install and test', () => {
    const [start, container, test] = blocks('sh');
    expect([start, test]).to.deep.equal(['npm ci && npm start\n', 'npm ci && npm test\n']);
    expect(container).to.match(/^docker build -t petstore \. && docker run /);
  });

  it('starts with npm start', async () => {
    expect(await npmStart(fileURLToPath(root))).to.match(/ is at http:\/\/127\.0\.0\.1:\d+\/v1\n/);
  });

  it('shows commands with their actual output', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.waitForStderr(/curl .+\n/);
    const here = new URL(server.baseUrl).host;
    const env = { ...process.env, API_KEY: server.firstKey };
    expect(transcripts).to.have.length.greaterThan(3);
    for (const { command, output } of transcripts) {
      const { stdout } = await run('bash', ['-c', command.replaceAll('127.0.0.1:8080', here)], { env });
      const shown = stdout.replaceAll(here, '127.0.0.1:8080').replaceAll('\r', '');
      expect(shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`, command).to.equal(output);
    }
    await server.stop();
  });
});

describe('docs/operations.md', () => {
  it('lists the permissions of a restricted user of Redis', () => {
    expect(operations).to.include(`\`~petstore:* ${permissions}\``);
  });

  it('names only existing commands', async () => {
    const commands = [...operations.matchAll(/`petstore ([a-z]+(?: [a-z]+)?)/g)].map(([, words = '']) => words);
    expect(commands).to.include.members(['serve', 'keys create', 'pets import']);
    for (const words of commands) expect((await petstore([...words.split(' '), '--help'])).exitCode, words).to.equal(0);
  });
});
