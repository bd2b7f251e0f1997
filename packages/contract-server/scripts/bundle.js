/**
 * The last step of the build: bundles the modules of `dist/` into `dist/bundle/`, where the entry points of the package
 * are. A service loads about 60 files instead of 200, and starts in four fifths of the time. What is imported on demand
 * remains in files of its own. `node --conditions=unbundled` loads the modules, as the tests do.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
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
await bundle.write({ dir: `${root}dist/bundle`, cleanDir: true, chunkFileNames: '[name].js', sourcemap: true });
