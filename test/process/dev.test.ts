import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { settings } from '#src/config.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const unset = Object.fromEntries(Object.values(settings).map(({ name }) => [name, '']));
const parts = [
  'spec',
  'src',
  'scripts',
  'generated',
  'docs',
  'package.json',
  'tsconfig.json',
  'dist',
  'build/scripts',
  'build/src',
];

describe('npm run dev', () => {
  let directory: string;
  let dev: ChildProcess;
  let printed = '';
  let logged = '';

  before(async () => {
    directory = temporaryDirectory();
    // What is compiled comes along with its times, so that the compiler has nothing to do at first.
    for (const part of parts)
      await cp(join(root, part), join(directory, part), { recursive: true, preserveTimestamps: true });
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    const env = { ...process.env, ...unset, PORT: '0' };
    dev = spawn(process.execPath, ['build/scripts/dev.js'], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
    dev.stdout?.setEncoding('utf8').on('data', (text: string) => (logged += text));
    dev.stderr?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  });

  after(() => dev.kill('SIGTERM'));

  /** Resolves once it has said this since the last time that it was asked. */
  async function says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const said = pattern.exec(printed);
      if (said !== null) {
        printed = printed.slice(said.index + said[0].length);
        return said;
      }
      await once(dev.stderr as NodeJS.ReadableStream, 'data');
    }
  }

  async function startedAt(): Promise<string> {
    return (await says(/ is at (http\S+)\/v1\n/))[1] ?? '';
  }

  async function servedTitle(origin: string): Promise<unknown> {
    const response = await fetch(`${origin}/openapi.json`, { headers: { Connection: 'close' } });
    return ((await response.json()) as { info: { title: string } }).info.title;
  }

  it('reports and serves changes, continues after errors, and stops all its processes', async function () {
    this.timeout(60_000);
    const file = join(directory, 'spec/petstore.yaml');
    const contract = await readFile(file, 'utf8');
    expect(await servedTitle(await startedAt())).to.equal('Pet Store');

    // Many editors write beside a file and then put that in its place.
    await writeFile(`${file}~`, contract.replace('title: Pet Store', 'title: Pet Shop'));
    await rename(`${file}~`, file);
    await says(/^dev: The contract changes:\ndev: {3}docs {5}changed info\/title\n/m);
    const origin = await startedAt();
    expect(await servedTitle(origin)).to.equal('Pet Shop');

    await writeFile(file, contract.replace('title: Pet Store', 'title: [Pet Store'));
    await says(/^dev: spec\/petstore\.yaml:\d+:\d+ .+\ndev: The service keeps running unchanged\.\n/m);
    expect(await servedTitle(origin)).to.equal('Pet Shop');

    await writeFile(file, contract.replaceAll('#/components/schemas/Pet', '#/components/schemas/Cat'));
    await says(
      /^dev: spec\/petstore\.yaml:\d+:\d+ Error: Can't resolve \$ref at .+\ndev: The service keeps running unchanged\.\n/m,
    );
    await writeFile(join(directory, 'src/main.ts'), 'export const port: string = 3;\n');
    await says(/^dev: src\/main\.ts:1:14: error TS2322: .+\ndev: The service keeps running unchanged\.\n/m);
    expect(await servedTitle(origin)).to.equal('Pet Shop');

    const ended = once(dev, 'close');
    dev.kill('SIGINT');
    expect(await ended).to.deep.equal([0, null]);
    expect(logged).to.match(/"msg":"stopped"\}\n$/);
    expect(await fetch(origin).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
  });
});
