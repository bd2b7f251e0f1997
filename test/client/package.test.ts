import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const packageFolder = join(root, 'build/client-package');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** The strictest compiler options of users, who also check our declarations. */
const strictest = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
};

/** Another project, in which the packed client is installed. */
const project = temporaryDirectory();
let packed: string[] = [];

async function installPackage(): Promise<void> {
  await run(process.execPath, ['build/scripts/client-package.js'], { cwd: root });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project, packageFolder], { cwd: root });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  packed = files.map(({ path }) => path);
  const installed = join(project, 'node_modules/petstore');
  await mkdir(installed, { recursive: true });
  const [file, directory] = [`--file=${join(project, filename)}`, `--directory=${installed}`];
  await run('tar', ['--extract', '--strip-components=1', file, directory]);
  await mkdir(join(project, 'node_modules/@types'));
  for (const name of ['openapi-fetch', '@types/node', 'undici-types']) {
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name));
  }
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
}

/** Compiles one file. @throws with the output of the compiler. */
async function compile(file: string, text: string, compilerOptions: object): Promise<void> {
  await writeFile(join(project, file), text);
  const config = join(project, `${file}.tsconfig.json`);
  const options = { compilerOptions: { ...strictest, ...compilerOptions }, files: [file] };
  await writeFile(config, JSON.stringify(options));
  await run(process.execPath, [tsc, '--project', config], { cwd: project }).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  });
}

async function runScript(file: string, text: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  if (text !== '') await writeFile(join(project, file), text);
  return (await run(process.execPath, [file], { cwd: project, env })).stdout;
}

describe('the package of the client', function () {
  // The compiler is slow on a busy machine.
  this.timeout(60_000);
  before(installPackage);

  it('contains only the client, its types and the contract', async () => {
    const modules = /^(dist|src)\/client\/[a-z-]+(\.d)?\.(js|ts)(\.map)?$/;
    expect(packed.filter((path) => !modules.test(path))).to.have.members([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'spec/petstore.yaml'],
      ...['generated/extensions.d.ts', 'generated/openapi.d.ts'],
    ]);
    const contract = await readFile(join(project, 'node_modules/petstore/spec/petstore.yaml'));
    expect(contract).to.deep.equal(await readFile(join(root, 'spec/petstore.yaml')));
  });

  it('depends on openapi-fetch alone, at the version that is tested here', async () => {
    const read = async (folder: string) =>
      JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, Record<string, string>>;
    const [own, whole] = await Promise.all([read(packageFolder), read(root)]);
    expect(own['dependencies']).to.deep.equal({ 'openapi-fetch': whole['dependencies']?.['openapi-fetch'] });
    expect(own).to.include({ name: 'petstore', version: whole['version'] });
    expect(own).not.to.have.any.keys('devDependencies', 'scripts', 'private', 'bin');
  });

  it('runs the documented example in TypeScript and Node', async () => {
    const text = await readFile(join(project, 'node_modules/petstore/README.md'), 'utf8');
    const example = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code).join('\n');
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.waitForStderr(/curl .+\n/);
    const here = example.replaceAll('http://127.0.0.1:8080/v1', server.baseUrl);
    await compile('example.ts', here, { module: 'NodeNext', target: 'ES2022', types: ['node'] });
    const printed = await runScript('example.js', '', { ...process.env, API_KEY: server.firstKey });
    await server.stop();
    expect(printed.replace(/in [0-9]+ ms/, 'in 7 ms').split('\n')).to.deep.equal([
      'Rex has the id 1, in category 9223372036854775807.',
      'Rex',
      '200: 1 pet, 56 requests left.',
      '`name` must have at least one visible character, and no control characters.',
      'GET /pets: 200 in 7 ms',
      '',
    ]);
  });

  for (const [platform, options] of Object.entries({
    'a browser': { lib: ['ES2022', 'DOM'], module: 'ESNext', moduleResolution: 'Bundler', types: [] },
    'a web worker': { lib: ['ES2022', 'WebWorker'], module: 'ESNext', moduleResolution: 'Bundler', types: [] },
    Node: { module: 'NodeNext', types: ['node'] },
  })) {
    it(`compiles for ${platform}`, () => {
      const consumer = `
        import { createPetstoreClient, isPetstoreError, type Pet } from 'petstore/client';
        const client = createPetstoreClient({ baseUrl: '/v1', apiKey: 'x', fetch: (request) => fetch(request) });
        export const list: Promise<readonly Pet[]> = client.listPets({ status: 'sold' }).then(({ pets }) => pets);
        export const header = client.listPets().withResponse().then(({ response }) => response.headers.get('Link'));
        list.catch((error: unknown) => isPetstoreError(error) && error.response?.status);`;
      return compile(`${platform.replaceAll(' ', '-')}.ts`, consumer, { target: 'ES2022', noEmit: true, ...options });
    });
  }

  it('is one module for import and require, under both of its names', async () => {
    const script = `
      import { createRequire } from 'node:module';
      const required = createRequire(import.meta.url)('petstore/client');
      const imported = [await import('petstore'), await import('petstore/client')];
      console.log(imported.map(({ PetstoreError }) => PetstoreError === required.PetstoreError));`;
    expect(await runScript('both.mjs', script)).to.equal('[ true, true ]\n');
    const common = `
      const { createPetstoreClient } = require('petstore/client');
      console.log(typeof createPetstoreClient({ baseUrl: 'http://127.0.0.1/v1', apiKey: 'x' }).pets);`;
    expect(await runScript('plain.cjs', common)).to.contain('function\n');
  });
});
