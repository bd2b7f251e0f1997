import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { reply, ScriptedServer } from '../support/servers/scripted-server.js';
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
  await run('tar', [
    '--extract',
    '--strip-components=1',
    `--file=${join(project, filename)}`,
    `--directory=${installed}`,
  ]);
  await mkdir(join(project, 'node_modules/@types'));
  for (const name of ['openapi-fetch', '@types/node', 'undici-types', 'bun-types', '@types/deno']) {
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name));
  }
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
}

/** Compiles one file. @throws with the output of the compiler. */
async function compile(file: string, text: string, compilerOptions: object): Promise<void> {
  await writeFile(join(project, file), text);
  const config = join(project, `${file}.tsconfig.json`);
  await writeFile(
    config,
    JSON.stringify({ compilerOptions: { ...strictest, ...compilerOptions }, files: [basename(file)] }),
  );
  await run(process.execPath, [tsc, '--project', config], { cwd: project }).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  });
}

describe('the package of the client', function () {
  // The compiler is slow on a busy machine.
  this.timeout(60_000);
  before(installPackage);

  it('contains only the client, its types and the contract', () => {
    const modules = /^(cjs\/dist|dist|src)\/client\/[a-z-]+(\.d)?\.(js|ts)(\.map)?$/;
    expect(packed.filter((path) => !modules.test(path))).to.have.members([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'spec/petstore.yaml'],
      ...['generated/extensions.d.ts', 'generated/openapi.d.ts'],
      ...['cjs/package.json', 'cjs/generated/extensions.d.ts', 'cjs/generated/openapi.d.ts'],
    ]);
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
    const env = { ...process.env, API_KEY: server.firstKey };
    const { stdout } = await run(process.execPath, ['example.js'], { cwd: project, env });
    expect(stdout.replace(/in [0-9]+ ms/, 'in 7 ms').split('\n')).to.deep.equal([
      'Rex has the id 1, in category 9223372036854775807.',
      'Rex',
      '200: 1 pet, 56 of 60 requests left.',
      '`name` must have at least one visible character, and no control characters.',
      'GET /pets: 200 in 7 ms',
      '',
    ]);
    await server.stop();
  });

  describe('compiles without the types of Node', () => {
    const consumer = `
      import { createPetstoreClient, isPetstoreError, type Pet } from 'petstore/client';
      const client = createPetstoreClient({ baseUrl: '/v1', apiKey: 'pets_live_x', fetch: (request) => fetch(request) });
      export const list: Promise<readonly Pet[]> = client.listPets({ status: 'sold' }).then(({ pets }) => pets);
      export const header = client.listPets().withResponse().then(({ response }) => response.headers.get('Link'));
      list.catch((error: unknown) => isPetstoreError(error) && error.response?.status);`;
    const bundler = { module: 'ESNext', moduleResolution: 'Bundler', target: 'ES2022', noEmit: true };

    for (const [platform, options] of Object.entries({
      'a browser': { lib: ['ES2022', 'DOM'], types: [] },
      'a web worker': { lib: ['ES2022', 'WebWorker'], types: [] },
      // The types of Bun extend those of a newer Node.
      Bun: { lib: ['ESNext'], types: ['bun-types'], skipLibCheck: true },
      Deno: { lib: ['ESNext', 'DOM'], types: ['deno'] },
    })) {
      it(`for ${platform}`, () => compile(`${platform.replaceAll(' ', '-')}.ts`, consumer, { ...bundler, ...options }));
    }
  });

  describe('compiles to CommonJS that runs', () => {
    const consumer = `
      import { createPetstoreClient, type Pet } from 'petstore/client';
      import * as whole from 'petstore';
      const client = createPetstoreClient({ baseUrl: 'http://127.0.0.1/v1', apiKey: 'pets_live_x' });
      export const pets: AsyncGenerator<Pet> = client.pets();
      console.log(typeof require, whole.createPetstoreClient === createPetstoreClient);`;

    for (const module of ['CommonJS', 'Node16', 'NodeNext']) {
      it(`with --module ${module.toLowerCase()}`, async () => {
        const folder = `as-${module.toLowerCase()}`;
        await mkdir(join(project, folder));
        await writeFile(join(project, folder, 'package.json'), '{}');
        await compile(`${folder}/main.ts`, consumer, { module, target: 'ES2022', types: ['node'] });
        expect((await run(process.execPath, [`${folder}/main.js`], { cwd: project })).stdout).to.equal(
          'function true\n',
        );
      });
    }
  });

  it('can be imported and required from JavaScript', async () => {
    const use = "typeof createPetstoreClient({ baseUrl: 'http://127.0.0.1/v1', apiKey: 'pets_live_x' }).pets";
    const files = {
      'plain.mjs': `import { createPetstoreClient } from 'petstore/client'; console.log(${use});`,
      'plain.cjs': `const { createPetstoreClient } = require('petstore/client'); console.log(${use});`,
    };
    for (const [file, text] of Object.entries(files)) {
      await writeFile(join(project, file), text);
      expect((await run(process.execPath, [file], { cwd: project })).stdout, file).to.equal('function\n');
    }
  });

  it('is one module for import and require in Node', async () => {
    const script = `
      import { createRequire } from 'node:module';
      const required = createRequire(import.meta.url)('petstore/client');
      console.log(required.PetstoreError === (await import('petstore')).PetstoreError);`;
    await writeFile(join(project, 'both.mjs'), script);
    expect((await run(process.execPath, ['both.mjs'], { cwd: project })).stdout).to.equal('true\n');
  });

  it('runs as CommonJS in tools that cannot require ES modules', async () => {
    const server = await ScriptedServer.start();
    server.script = [reply(404, { code: 'pet_not_found', message: 'No pet.', status: 404 })];
    const script = `
      const { createPetstoreClient, isPetstoreError, errorCodes } = require('./node_modules/petstore/cjs/dist/client/petstore-client.js');
      createPetstoreClient({ baseUrl: '${server.baseUrl}', apiKey: 'pets_live_x' }).getPet(1)
        .catch((error) => console.log(isPetstoreError(error, errorCodes.pet_not_found), error.status));`;
    await writeFile(join(project, 'tool.cjs'), script);
    expect(
      (await run(process.execPath, ['--no-experimental-require-module', 'tool.cjs'], { cwd: project })).stdout,
    ).to.equal('true 404\n');
    await server.close();
  });

  it('exports the client under its bare name, too', async () => {
    const compare = "console.log((await import('petstore')) === (await import('petstore/client')))";
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', compare], { cwd: project });
    expect(stdout).to.equal('true\n');
  });

  it('contains the contract byte for byte', async () => {
    const find = "process.stdout.write(import.meta.resolve('petstore/openapi.yaml'))";
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', find], { cwd: project });
    expect(await readFile(new URL(stdout))).to.deep.equal(await readFile(join(root, 'spec/petstore.yaml')));
  });
});
