/**
 * Writes `build/mock-package/`, the npm package of the mock server without the service: the modules that its command
 * imports, and the contract. The packages that they import are included, in the versions that are tested here: npm
 * would ignore the `overrides` of this repository's package.json.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const target = join(root, 'build/mock-package');
const library = 'packages/contract-server';
/** The command, and what it imports on demand. */
const entries = ['dist/petstore-mock.js', `${library}/dist/service/create-mock.js`];
/** Files that the modules read. */
const data = ['dist/checked-contract.json', 'spec', 'LICENSE', 'CHANGELOG.md', `${library}/package.json`];

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [name: string]: unknown;
}

const files = new Set<string>();
const packages = new Set<string>();
for (const entry of entries) addModule(join(root, entry));

rmSync(target, { recursive: true, force: true });
for (const file of files) copy(file);
for (const path of data)
  cpSync(join(root, path), placeOf(join(root, path)), { recursive: true, filter: isDistributed });
const documents = join(root, library, 'dist/http/docs');
for (const file of readdirSync(documents)) if (!/\.(ts|map)$/.test(file)) copy(join(documents, file));
cpSync(join(root, 'docs/mock.md'), join(target, 'README.md'));
const { version, license, type, engines, dependencies: own } = readManifest(root);
const dependencies = { ...own, ...readManifest(join(root, library)).dependencies };
const names = [...packages].sort();
const manifest = {
  name: 'petstore-mock',
  version,
  description: 'The mock server of the pet store catalogue.',
  license,
  type,
  engines,
  bin: { 'petstore-mock': entries[0] },
  dependencies: Object.fromEntries([...names, 'contract-server'].map((name) => [name, dependencies[name]])),
  bundleDependencies: [...names, 'contract-server'],
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
for (const name of names) copyPackage(name, root);

/** Adds a compiled module and the modules that it imports. The command imports stores on demand, which are left out. */
function addModule(file: string): void {
  if (files.has(file)) return;
  files.add(file);
  const code = readFileSync(file, 'utf8');
  const imports = [...code.matchAll(/^(?:import|export) (?:[^'";]* from )?'([^']+)';/gm)];
  if (!file.startsWith(join(root, library, 'dist/cli/'))) imports.push(...code.matchAll(/\bimport\('([^']+)'\)/g));
  for (const [, from = ''] of imports) {
    if (from.startsWith('.')) addModule(resolve(dirname(file), from));
    else if (from.startsWith('contract-server/')) addModule(fileURLToPath(import.meta.resolve(from)));
    else if (!from.startsWith('node:')) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? from);
  }
}

function copy(file: string): void {
  const copied = placeOf(file);
  mkdirSync(dirname(copied), { recursive: true });
  cpSync(file, copied);
}

/** The place of a file in the package, which has contract-server as an installed package. */
function placeOf(file: string): string {
  return join(target, relative(root, file).replace(library, 'node_modules/contract-server'));
}

/** Copies an installed package and its dependencies to the same place of the target, without types and source maps. */
function copyPackage(name: string, importer: string): void {
  const folder = installed(name, importer);
  const copied = join(target, relative(root, folder));
  if (existsSync(copied)) return;
  cpSync(folder, copied, {
    recursive: true,
    dereference: true,
    filter: (path) => path === folder || isDistributed(path),
  });
  for (const dependency of Object.keys(readManifest(folder).dependencies ?? {})) copyPackage(dependency, folder);
}

/** Whether it is neither a source map, nor TypeScript, nor a package of a package. */
function isDistributed(path: string): boolean {
  return !/\.(map|[cm]?ts)$|\/node_modules$/.test(path);
}

/** The folder from which Node loads a package. */
function installed(name: string, importer: string): string {
  const folder = join(importer, 'node_modules', name);
  return existsSync(folder) ? folder : installed(name, dirname(importer));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
