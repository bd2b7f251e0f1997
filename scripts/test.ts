/**
 * Runs compiled tests with mocha. Without arguments it runs every test except those of faults.
 *
 *   npm test -- [--no-stores] [--coverage] [files and folders of test/, options of mocha]
 *   npm run test:faults -- [files of test/faults/, options of mocha]
 */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const support = 'build/test/support';
const own = ['--faults', '--no-stores', '--coverage'];
const args = process.argv.slice(2);
const [isFaults, isWithoutStores, isCoverage] = own.map((option) => args.includes(option));
const files = args.filter(isTest).map(compiled);
const isEverything = files.length === 0;

// Process tests first, because they take longest.
const everything = ['process/**', '!(process|faults|support)/**', ''].map(
  (path) => `build/test/${join(path, '*.test.js')}`,
);
const faults = ['build/test/faults/*.test.js', 'build/test/process/{kill,limits}.test.js'];

const command = [
  ...(isCoverage ? ['node_modules/.bin/c8'] : []),
  'node_modules/.bin/mocha',
  // One at a time: they need the whole machine, and each starts the stores that it kills.
  ...(isFaults ? ['--no-parallel'] : ['--require', `${support}/mocha-stores.js`]),
  // Every status of the contract is seen only by the whole suite.
  ...(isEverything && !isFaults && !isWithoutStores ? ['--require', `${support}/mocha-coverage.js`] : []),
  ...args.filter((argument) => !isTest(argument) && !own.includes(argument)),
  ...(isEverything ? (isFaults ? faults : everything) : files),
];
const child = spawn(process.execPath, command, {
  cwd: root,
  stdio: 'inherit',
  env: {
    // eslint-disable-next-line no-restricted-syntax -- mocha gets the environment of this script
    ...process.env,
    ...(isFaults && { PETSTORE_TEST_FAULTS: 'on' }),
    ...(isWithoutStores && { PETSTORE_TEST_STORES: 'off' }),
  },
});
child.on('exit', (code) => (process.exitCode = code ?? 1));

function isTest(argument: string): boolean {
  return /^(\.\/)?test(\/|$)/.test(argument);
}

/** @throws if the file or folder does not exist. */
function compiled(path: string): string {
  const isFolder = statSync(join(root, path)).isDirectory();
  return join('build', isFolder ? `${path}/**/*.test.js` : path.replace(/\.ts$/, '.js'));
}
