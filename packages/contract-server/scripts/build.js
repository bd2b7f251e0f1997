/**
 * Builds the package into `dist/`: compiles what has changed, copies the files that are read at run time, deletes what
 * the sources no longer contain, copies the viewer of the API reference, and bundles the modules.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { mirrorSources } from './mirror-sources.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const compiler = spawn(process.execPath, [tsc, '-b'], { cwd: root, stdio: 'inherit' });
const compiled = once(compiler, 'exit');
await import('./bundle-viewer.js');
const [status] = await compiled;
if (status !== 0) process.exit(1);
mirrorSources(root, /^(http\/docs\/viewer\.js|bundle(\/|$))/);
await import('./bundle.js');
