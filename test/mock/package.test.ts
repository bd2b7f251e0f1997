import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createPetstoreClient } from '#src/client/petstore-client.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('the package of the mock server', function () {
  // npm is slow on a busy machine.
  this.timeout(120_000);
  /** Another project, in which the packed mock server is installed. */
  const project = temporaryDirectory();
  const program = join(project, 'node_modules/.bin/petstore-mock');
  before(async () => {
    await run(process.execPath, ['build/scripts/mock-package.js'], { cwd: root });
    const pack = ['pack', '--json', '--pack-destination', project, join(root, 'build/mock-package')];
    const [{ filename }] = JSON.parse((await run('npm', pack, { cwd: root })).stdout) as [{ filename: string }];
    await run('npm', ['install', '--offline', '--no-audit', `--prefix=${project}`, filename], { cwd: project });
  });

  it('runs without the repository and a registry', async () => {
    const mock = new ServerProcess({}, { command: [program, '--json'] });
    await mock.waitForLog(/\n/);
    const options = JSON.parse(mock.stdout) as { baseUrl: string; apiKey: string };
    const client = createPetstoreClient(options);
    const pets = [];
    for await (const { name } of client.pets({ limit: 1 })) pets.push(name);
    expect(pets).to.deep.equal(['Rex', 'Mia']);
    for (const path of ['/docs', '/openapi.yaml', '/openapi.json', '/readyz']) {
      expect((await fetch(new URL(path, options.baseUrl))).status, path).to.equal(200);
    }
    expect(await mock.stop()).to.deep.equal({ code: 0, signal: null });
    expect(mock.stderr).to.equal('');
  });

  it('has the version of the contract, and rejects invalid arguments with exit code 2', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect((await run(process.execPath, [program, '--version'])).stdout).to.equal(`${version}\n`);
    for (const args of [['--port', 'x'], ['--stateful'], ['serve']]) {
      const mock = new ServerProcess({}, { command: [program, ...args] });
      expect(await mock.ended, args.join(' ')).to.deep.equal({ code: 2, signal: null });
    }
  });

  it('contains no driver of a database', () => {
    const { bundleDependencies } = JSON.parse(
      readFileSync(join(project, 'node_modules/petstore-mock/package.json'), 'utf8'),
    ) as { bundleDependencies: string[] };
    expect(bundleDependencies).to.include('express');
    expect(bundleDependencies.filter((name) => /sqlite|^pg$|redis/.test(name))).to.deep.equal([]);
  });
});
