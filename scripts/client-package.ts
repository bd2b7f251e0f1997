/**
 * Writes `build/client-package/`, the npm package of the client: the client, the client runtime of contract-server, the
 * contract and what is generated from it. Its name, version and entry points are those of this repository's
 * package.json. Its only dependency is that of the client. Node 20.19 and newer can `require` its ES modules.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

const root = new URL('../../', import.meta.url);
const target = new URL('build/client-package/', root);

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly [name: string]: unknown;
}

const manifest = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as Manifest;
const runtime = JSON.parse(await readFile(new URL('packages/client/package.json', root), 'utf8')) as Manifest;
const { name, version, license, type, exports } = manifest;
const clientManifest = {
  name,
  version,
  description: 'The client of the pet store catalogue, and its contract.',
  license,
  type,
  // The client has no native packages, so no version of Node is too new for it.
  engines: { node: manifest.engines.node.replace(/ <.*/, '') },
  sideEffects: false,
  exports,
  dependencies: { 'openapi-fetch': runtime.dependencies['openapi-fetch'] },
};

await rm(target, { recursive: true, force: true });
// The sources are included because the source maps refer to them.
for (const folder of ['dist', 'src']) {
  await copyFiles(`${folder}/client`, `${folder}/client`, /\.(js|ts|map)$/);
  await copyFiles(`packages/client/${folder}`, `${folder}/client/runtime`, /\.(js|ts|map)$/);
}
for (const path of ['generated', 'spec']) await copyFiles(path, path, /\.(ts|js|yaml)$/);
for (const path of ['LICENSE', 'CHANGELOG.md']) await cp(new URL(path, root), new URL(path, target));
await cp(new URL('docs/client.md', root), new URL('README.md', target));
await writeFile(new URL('package.json', target), `${JSON.stringify(clientManifest, undefined, 2)}\n`);

/** Copies the files of a folder. The runtime is in a folder of its own, which the imports and source maps name. */
async function copyFiles(source: string, folder: string, wanted: RegExp): Promise<void> {
  const [from, to] = [new URL(`${source}/`, root), new URL(`${folder}/`, target)];
  await mkdir(to, { recursive: true });
  for (const file of await readdir(from)) {
    if (!wanted.test(file)) continue;
    const text = (await readFile(new URL(file, from), 'utf8'))
      .replaceAll("'@contract-server/client'", "'./runtime/index.js'")
      .replaceAll('"../src/', '"../../../src/client/runtime/');
    await writeFile(new URL(file, to), text);
  }
}
