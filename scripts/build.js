/**
 * Builds the service into `dist/`: compiles what has changed, copies the files that are read at run time, deletes what
 * the sources no longer contain, checks the contract, and copies the viewer of the API reference.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The files in `dist/` that are not compiled or copied from `src/`. */
const built = /(^|\/)\.tsbuildinfo$|^http\/docs\/viewer\.js|^openapi\/checked-contract\.json$/;

console.error('Building the service; the first time takes about half a minute.');
const compiler = spawn(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd: root, stdio: 'inherit' });
const compiled = once(compiler, 'exit');
await import('./bundle-viewer.js');
const [status] = await compiled;
if (status !== 0) process.exit(1);
cpSync(`${root}src`, `${root}dist`, { recursive: true, filter: (path) => !path.endsWith('.ts') });
for (const path of readdirSync(`${root}dist`, { recursive: true })) {
  const sources = [path, path.replace(/(\.js|\.d\.ts)(\.map)?$/, '.ts')];
  if (!built.test(path) && !sources.some((source) => existsSync(`${root}src/${source}`)))
    rmSync(`${root}dist/${path}`, { recursive: true, force: true });
}
await import('./check-contract.js');
