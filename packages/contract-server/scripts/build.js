/** Builds the package into `dist/`: compiles what has changed, and copies the viewer of the API reference. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const compiler = spawn(process.execPath, [tsc, '-b'], { cwd: root, stdio: 'inherit' });
const compiled = once(compiler, 'exit');
await import('./bundle-viewer.js');
const [status] = await compiled;
if (status !== 0) process.exit(1);
