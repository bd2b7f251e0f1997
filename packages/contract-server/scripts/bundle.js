/**
 * The last step of the build: bundles the modules of `dist/` into `dist/bundle/`, where the entry points of the package
 * are. A service loads about 60 files instead of 200, and starts in four fifths of the time. What is imported on demand
 * remains in files of its own. `node --conditions=unbundled` loads the modules, as the tests do.
 */
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const [dist, manifestPath] = [`${root}dist`, `${root}package.json`];
const target = `${dist}/bundle`;

// A running service may import a file of the bundle on demand, so the bundle is replaced only if a module has changed.
if (writtenAt(target) <= Math.max(...sources().map(writtenAt))) await writeBundle();

function sources() {
  const modules = readdirSync(dist, { recursive: true }).filter((path) => /^(?!bundle\/).*\.js$/.test(path));
  return [...modules.map((path) => `${dist}/${path}`), manifestPath, fileURLToPath(import.meta.url)];
}

function writtenAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function writeBundle() {
  const manifest = JSON.parse(await readFile(manifestPath, 'utf8'));
  const entries = Object.values(manifest.exports).flatMap(({ unbundled }) => unbundled ?? []);
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(
      [...entries, './dist/cli/contract-server.js'].map((path) => [path.replace(/^\.\/dist\/|\.js$/g, ''), path]),
    ),
    platform: 'node',
    external: /^[^./]/,
    // `serve` imports what `mock` and the tests import on demand.
    checks: { ineffectiveDynamicImport: false },
    // Stack traces then name the sources, not the modules.
    plugins: [
      {
        name: 'source-maps',
        load: async (id) => ({ code: await readFile(id, 'utf8'), map: await readFile(`${id}.map`, 'utf8') }),
      },
    ],
  });
  // In a folder beside it, so that an interrupted build leaves no half of a bundle.
  const dir = `${dist}/bundle.new`;
  await bundle.write({ dir, cleanDir: true, chunkFileNames: '[name].js', sourcemap: true });
  rmSync(target, { recursive: true, force: true });
  renameSync(dir, target);
}
