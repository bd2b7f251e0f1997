import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import ts from 'typescript';
import { ServerProcess } from '../support/servers/server-process.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const packageFolder = join(root, 'build/client-package');
/** Another project, in which the packed client is installed. */
const project = temporaryDirectory();
const installed = join(project, 'node_modules/petstore');

/** Packs and installs the client. Returns the files of the package. */
async function installPackage(): Promise<string[]> {
  await run(process.execPath, ['build/scripts/client-package.js'], { cwd: root });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project, packageFolder], { cwd: root });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  await mkdir(installed, { recursive: true });
  await run('tar', ['--extract', '--strip-components=1', `--file=${join(project, filename)}`], { cwd: installed });
  await mkdir(join(project, 'node_modules/@types'));
  for (const name of ['openapi-fetch', '@types/node', 'undici-types'])
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name));
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  return files.map(({ path }) => path);
}

/** Compiles one file with the strictest options of users, and checks it and our declarations. */
async function compile(name: string, text: string, options: object): Promise<void> {
  const file = join(project, name);
  await writeFile(file, text);
  const strictest = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  const json = { ...strictest, target: 'ES2022', typeRoots: ['node_modules/@types'], ...options };
  const program = ts.createProgram([file], ts.convertCompilerOptionsFromJson(json, project).options);
  program.emit(program.getSourceFile(file));
  const checked = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(project));
  const errors = [
    ...program.getOptionsDiagnostics(),
    ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  expect(checked.some(({ fileName }) => fileName.endsWith('petstore-client.d.ts'))).to.equal(true);
  expect(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).to.deep.equal([]);
}

describe('the package of the client', function () {
  // The compiler is slow on a busy machine.
  this.timeout(60_000);
  let packed: string[];
  before(async () => (packed = await installPackage()));

  it('contains only the client, its types and the contract', async () => {
    const modules = /^(dist|src)\/client\/(runtime\/)?[a-z-]+(\.d)?\.(js|ts)(\.map)?$/;
    expect(packed.filter((path) => !modules.test(path))).to.have.members([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'spec/petstore.yaml'],
      'generated/contract.d.ts',
      'generated/contract.js',
    ]);
    const contract = await readFile(join(installed, 'spec/petstore.yaml'));
    expect(contract).to.deep.equal(await readFile(join(root, 'spec/petstore.yaml')));
  });

  it('depends on openapi-fetch alone, at the version that is tested here', async () => {
    const read = async (folder: string) =>
      JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, Record<string, string>>;
    const [own, whole] = [await read(packageFolder), await read(join(root, 'packages/client'))];
    expect(own['dependencies']).to.deep.equal({ 'openapi-fetch': whole['dependencies']?.['openapi-fetch'] });
    expect(own).to.include({ name: 'petstore', version: whole['version'] });
    expect(own).not.to.have.any.keys('devDependencies', 'scripts', 'private', 'bin');
  });

  it('runs the documented example in TypeScript and Node', async () => {
    const text = await readFile(join(installed, 'README.md'), 'utf8');
    const example = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code).join('\n');
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.waitForStderr(/curl .+\n/);
    const here = example.replaceAll('http://127.0.0.1:8080/v1', server.baseUrl);
    await compile('example.ts', here, { module: 'NodeNext', types: ['node'] });
    const env = { ...process.env, API_KEY: server.firstKey };
    const { stdout } = await run(process.execPath, ['example.js'], { cwd: project, env });
    await server.stop();
    expect(stdout.replace(/in [0-9]+ ms/, 'in 7 ms').split('\n')).to.deep.equal([
      'Rex has the id 1, in category 9223372036854775807.',
      'Rex',
      '200: 1 pet, 56 requests left.',
      '`name` must have at least one visible character, and no control characters.',
      'GET /pets: 200 in 7 ms',
      '',
    ]);
  });

  for (const [platform, lib] of [
    ['browser', ['ES2022', 'DOM']],
    ['worker', ['ES2022', 'WebWorker']],
  ] as const)
    it(`compiles for a ${platform}`, () => {
      const consumer = `
        import { createPetstoreClient, isPetstoreError, type Pet } from 'petstore/client';
        const client = createPetstoreClient({ baseUrl: '/v1', apiKey: 'x', fetch: (request) => fetch(request) });
        export const list: Promise<readonly Pet[]> = client.listPets({ status: 'sold' }).then(({ pets }) => pets);
        export const header = client.listPets().withResponse().then(({ response }) => response.headers.get('Link'));
        list.catch((error: unknown) => isPetstoreError(error) && error.response?.status);`;
      return compile(`${platform}.ts`, consumer, { lib, module: 'ESNext', moduleResolution: 'Bundler', types: [] });
    });
});
