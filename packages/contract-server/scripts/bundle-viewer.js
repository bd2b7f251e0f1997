/**
 * A step of the build: copies the viewer of the API reference from its package, and compresses it. The package contains
 * it as a string, so the service needs neither the package nor its dependencies. `overrides` of `package.json` leave
 * those out, because some require Node.js 22. `@scalar/api-reference` has the same file, but installs 272 packages.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const module = await readFile(new URL(import.meta.resolve('@scalar/fastify-api-reference')), 'utf8');
const literal = /^var standalone_default = (".*");$/m.exec(module)?.[1];
if (literal === undefined) throw new Error('@scalar/fastify-api-reference does not contain the viewer.');
const viewer = runInNewContext(literal);
const folder = fileURLToPath(new URL('../dist', import.meta.url));
const path = `${folder}/viewer.js`;
// Compressing takes some 10 s. The copy is written last.
if ((await readFile(path, 'utf8').catch(() => undefined)) !== viewer) {
  await mkdir(folder, { recursive: true });
  await writeFile(`${path}.br`, brotliCompressSync(viewer));
  await writeFile(`${path}.gz`, gzipSync(viewer, { level: 9 }));
  await writeFile(path, viewer);
}
