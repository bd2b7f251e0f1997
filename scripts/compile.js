/**
 * Compiles the project and its tests, as far as they have changed: `npm run compile`. Two compilers run at a time.
 * Scripts that run before anything is compiled are JavaScript.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packages } from './packages.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const testsOfPackages = packages.map((path) => `${path}/test`).filter((path) => existsSync(`${root}${path}`));

if (process.argv[1] === import.meta.filename) await compile([...testsOfPackages, 'test']);

/** @param folders those with tests, which are compiled with what they import. Exits with 1 if something does not compile. */
export async function compile(folders) {
  await import('../packages/contract-server/scripts/build.js');
  await import('./generate-test-types.js');
  const library = compileProjects(['packages/test-support', ...folders.filter((path) => path.startsWith('packages/'))]);
  const others = folders.filter((path) => !path.startsWith('packages/'));
  if (others.length > 0) await import('./build.js');
  await library;
  // The tests of the pet store import those of the examples.
  if (others.length > 0) await compileProjects(['test']);
}

async function compileProjects(paths) {
  const tsc = ['node_modules/typescript/bin/tsc', '-b', ...paths];
  const [status] = await once(spawn(process.execPath, tsc, { cwd: root, stdio: 'inherit' }), 'exit');
  if (status !== 0) process.exit(1);
}
