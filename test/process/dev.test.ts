import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../scripts/documents.js';
import { ServerProcess } from '../support/servers/server-process.js';

const program = 'packages/contract-server/bin/contract-server.js';

describe('npm run dev', () => {
  it('watches the contract, and the sources of the service and of contract-server', async () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const [, args = ''] = /contract-server (dev .+)$/.exec(scripts['dev'] ?? '') ?? [];
    const dev = new ServerProcess({}, { command: [program, ...args.split(' ')], setUp: `cd ${root}` });
    await dev.waitForStderr(/\n/);
    // Before anything is built, which contract-server tests in a project of its own.
    const packages = 'packages/client/src, packages/core/src, packages/contract-server/src';
    expect(dev.stderr.startsWith(`dev: Watching spec/petstore.yaml, src, ${packages}.\n`), dev.stderr).to.equal(true);
    await dev.stop();
  });
});
