import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { copyProject } from '../support/copy-project.js';
import { ServerProcess } from '../support/servers/server-process.js';

const program = 'packages/contract-server/bin/contract-server.js';

describe('npm run dev', function () {
  this.timeout(180_000);

  it('serves a changed contract, passes its arguments to the service, and stops it with exit code 0', async () => {
    const directory = await copyProject();
    const { scripts } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const [, args = ''] = /contract-server (dev .+)$/.exec(scripts['dev'] ?? '') ?? [];
    await writeFile(join(directory, 'settings.env'), 'METRICS_PORT=0\n');
    const command = [program, ...args.split(' '), '--settings', 'settings.env'];
    const dev = new ServerProcess({}, { command, setUp: `cd ${directory} && unset METRICS_PORT` });
    // From the file that its arguments name.
    await dev.waitForStderr(/^ {2}Metrics {3}http/m);
    const file = join(directory, 'spec/petstore.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('title: Pet Store', 'title: Pet Shop'));
    await dev.waitForStderr(/^Pet Shop \S+ is at /m);
    const urls = [...dev.stderr.matchAll(/ is at (http\S+)\/v1$/gm)].map(([, url = '']) => url);
    const title = async (url: string) =>
      ((await (await fetch(`${url}/openapi.json`)).json()) as { info: { title: string } }).info.title;
    expect(await title(urls[1] ?? '')).to.equal('Pet Shop');
    dev.kill('SIGINT');
    expect(await dev.ended).to.deep.equal({ code: 0, signal: null });
    for (const url of urls) expect(await fetch(url).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
  });
});
