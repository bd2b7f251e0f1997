/**
 * Compiles the project and its tests, as far as they have changed: `npm run compile`. Two compilers run at a time.
 * Scripts that run before anything is compiled are JavaScript.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

if (process.argv[1] === import.meta.filename) await compile();

/** @param options `isLibrary`: only contract-server and its tests. Exits with 1 if something does not compile. */
export async function compile({ isLibrary = false } = {}) {
  await import('../packages/contract-server/scripts/build.js');
  await import('../packages/contract-server/scripts/generate-test-types.js');
  const library = compileTests('packages/contract-server/test');
  if (!isLibrary) await import('./build.js');
  await library;
  if (!isLibrary) await compileTests('test');
}

async function compileTests(folder) {
  const tsc = ['node_modules/typescript/bin/tsc', '-b', folder];
  const [status] = await once(spawn(process.execPath, tsc, { cwd: root, stdio: 'inherit' }), 'exit');
  if (status !== 0) process.exit(1);
}
