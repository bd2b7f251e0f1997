/**
 * Writes `build/client-package/`, the npm package of the client: the client, its types and the contract. Its name,
 * version and entry points are those of this repository's package.json. Its only dependency is that of the client.
 *
 * The folder `cjs` has the client as CommonJS, for tools that cannot `require` ES modules. Node can: with the condition
 * `module-sync`, it loads the same module for `import` and `require`.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path/posix';
import ts from 'typescript';

const root = new URL('../../', import.meta.url);
const target = new URL('build/client-package/', root);

interface EntryPoint {
  readonly types: string;
  readonly default: string;
}

interface Manifest {
  readonly exports: { readonly './client': EntryPoint };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly [name: string]: unknown;
}

const manifest = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as Manifest;
const { name, version, license, type, dependencies } = manifest;
// The client has no native packages, so no version of Node is too new for it.
const engines = { node: manifest.engines.node.replace(/ <.*/, '') };
const { './client': module } = manifest.exports;
const commonJs = { types: inCommonJs(module.types), default: inCommonJs(module.default) };
const client = { 'module-sync': module, import: module, require: commonJs };
const clientManifest = {
  name,
  version,
  description: 'The client of the pet store catalogue, and its contract.',
  license,
  type,
  engines,
  sideEffects: false,
  exports: { ...manifest.exports, '.': client, './client': client },
  // For TypeScript without `exports`, as with `--module commonjs`.
  main: commonJs.default,
  types: commonJs.types,
  typesVersions: { '*': { client: [commonJs.types] } },
  dependencies: { 'openapi-fetch': dependencies['openapi-fetch'] },
};

await rm(target, { recursive: true, force: true });
// The sources are included because the source maps refer to them.
for (const path of ['dist/client', 'src/client']) await copyFiles(path, /\.(js|ts|map)$/);
for (const path of ['generated', 'spec']) await copyFiles(path, /\.(ts|yaml)$/);
for (const path of ['LICENSE', 'CHANGELOG.md']) await cp(new URL(path, root), new URL(path, target));
await cp(new URL('docs/client.md', root), new URL('README.md', target));
await writeJson('package.json', clientManifest);
await writeCommonJs();

function inCommonJs(path: string): string {
  return path.replace('./', './cjs/');
}

/** Writes the client as CommonJS, with its types, in the same folders as the ES modules. */
async function writeCommonJs(): Promise<void> {
  await writeJson('cjs/package.json', { type: 'commonjs' });
  await cp(new URL('generated', target), new URL('cjs/generated', target), { recursive: true });
  const folder = dirname(commonJs.default);
  await mkdir(new URL(`${folder}/`, target), { recursive: true });
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
  for (const file of await readdir(new URL('src/client', target))) {
    const stem = file.replace(/\.ts$/, '');
    const source = await readFile(new URL(`src/client/${file}`, target), 'utf8');
    await writeFile(
      new URL(`${folder}/${stem}.js`, target),
      ts.transpileModule(source, { compilerOptions }).outputText,
    );
    const types = await readFile(new URL(`dist/client/${stem}.d.ts`, target), 'utf8');
    await writeFile(new URL(`${folder}/${stem}.d.ts`, target), types.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
  }
}

async function writeJson(path: string, value: object): Promise<void> {
  await mkdir(new URL('./', new URL(path, target)), { recursive: true });
  await writeFile(new URL(path, target), `${JSON.stringify(value, undefined, 2)}\n`);
}

async function copyFiles(folder: string, wanted: RegExp): Promise<void> {
  await mkdir(new URL(folder, target), { recursive: true });
  for (const file of await readdir(new URL(folder, root))) {
    if (wanted.test(file)) await cp(new URL(`${folder}/${file}`, root), new URL(`${folder}/${file}`, target));
  }
}
