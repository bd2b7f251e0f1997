import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { createPetstoreClient } from '#src/client/petstore-client.js';
import { ServerProcess } from '../support/servers/server-process.js';

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly bundleDependencies: readonly string[];
}

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The packed mock server in another project. Its dependencies are in the package. */
const installed = join(temporaryDirectory(), 'node_modules/petstore-mock');
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

describe('the package of the mock server', function () {
  // npm is slow on a busy machine.
  this.timeout(60_000);
  let program: string;
  before(async () => {
    mkdirSync(installed, { recursive: true });
    await run(process.execPath, ['build/scripts/mock-package.js'], { cwd: root });
    const pack = ['pack', '--json', '--pack-destination', installed, join(root, 'build/mock-package')];
    const [{ filename }] = JSON.parse((await run('npm', pack, { cwd: root })).stdout) as [{ filename: string }];
    await run('tar', ['--extract', '--strip-components=1', `--file=${filename}`], { cwd: installed });
    program = join(installed, String(manifestOf(installed).bin['petstore-mock']));
  });

  it('runs without the repository and a registry', async () => {
    const mock = new ServerProcess({}, { command: [program, '--json'] });
    await mock.waitForLog(/\n/);
    const options = JSON.parse(mock.stdout) as { baseUrl: string; apiKey: string };
    const pets = [];
    for await (const { name } of createPetstoreClient(options).pets({ limit: 1 })) pets.push(name);
    expect(pets).to.deep.equal(['Rex', 'Mia']);
    for (const path of ['/docs', '/openapi.yaml', '/openapi.json', '/readyz'])
      expect((await fetch(new URL(path, options.baseUrl))).status, path).to.equal(200);
    await mock.stop();
    expect(mock.stderr).to.equal('');
  });

  it('has the version of the contract, and rejects invalid arguments with exit code 2', async () => {
    const { stdout } = await run(process.execPath, [program, '--version']);
    expect(stdout).to.equal(`${manifestOf(root).version}\n`);
    for (const args of [['--port', 'x'], ['--stateful'], ['serve']]) {
      const mock = new ServerProcess({}, { command: [program, ...args] });
      expect(await mock.ended, args.join(' ')).to.deep.equal({ code: 2, signal: null });
    }
  });

  it('contains no driver of a database', () => {
    const { bundleDependencies } = manifestOf(installed);
    expect(bundleDependencies).to.include('express');
    expect(bundleDependencies.filter((name) => /sqlite|^pg$|redis/.test(name))).to.deep.equal([]);
  });
});
