/**
 * Compiles what the tests need, and runs them with mocha. Without arguments it runs every test except those of faults.
 * `--quick` also leaves out what needs PostgreSQL, Redis or a browser, and most tests of real commands.
 *
 *   npm test -- [--quick] [--coverage] [files and folders with tests, options of mocha]
 *   npm run test:faults -- [--ci] [files of test/faults/, options of mocha]
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.js';
import { packages } from './packages.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The folders with tests: those of the pet store, of the packages, and of the examples. */
const folders = ['test', ...packages.map((path) => `${path}/test`), 'examples/conduit/test'].filter((path) =>
  existsSync(join(root, path)),
);
const support = 'packages/test-support/dist';
/** One for each contract with an application. */
const coverageGates = ['build/test', 'examples/conduit/build/test'].map(
  (folder) => `${folder}/support/mocha-coverage.js`,
);
const own = ['--faults', '--ci', '--quick', '--coverage'];
const args = process.argv.slice(2);
const [isFaults, isCi, isQuick, isCoverage] = own.map((option) => args.includes(option));
/** The faults that CI causes, in three minutes. A release, and a change of what the others prove, needs all. */
const faultsOfCi = [
  'test/process/kill.test.ts',
  'test/faults/attacks.test.ts', // floods, and slow clients
  'test/faults/disk-outages.test.ts', // a full disk, and failing ones
  'test/faults/postgres-faults.test.ts',
  'test/faults/proxies.test.ts', // a rolling stop behind each
  'test/faults/redis-faults.test.ts',
];
const named = isCi ? faultsOfCi : args.filter(isTest);
const isEverything = named.length === 0;

/** What takes longest, and therefore begins first. */
const longest = [
  /package\/installed\./,
  /docs-page\./,
  /(^|\/)test\/process\//,
  /contract-server\/dev\./,
  /new\/new\./,
];
const rankOf = (path) => [...longest, /./].findIndex((each) => each.test(path));
/** The sources decide what is run, because compiled files of deleted tests may remain. */
const sources = folders
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)))
  .filter((path) => path.endsWith('.test.ts'))
  .sort((one, other) => rankOf(one) - rankOf(other));
const onlyFaults = /^(packages\/[\w-]+\/)?test\/(faults\/|new\/created-service)/;
/** All files of `test:faults`: those, and tests that run more rounds there, in real time, or with more pairs. */
const fault = new RegExp(`${onlyFaults.source}|/(process/(kill|limits|documents)|sets-of-values)\\.test\\.ts$`);
/** Most of the time of a run: they wait for real commands. */
const slow = /(^|\/)test\/(process\/(?!start\.)|package\/installed\.)/;
const all = sources.filter((path) => (isFaults ? fault.test(path) : !onlyFaults.test(path)));
const quick = isQuick ? all.filter((path) => !slow.test(path)) : all;
const chosen = isEverything ? quick : named.flatMap(requireTests);

await compile(folders.filter((folder) => chosen.some((path) => path.startsWith(`${folder}/`))));

const command = [
  ...(isCoverage ? ['node_modules/.bin/c8'] : []),
  'node_modules/.bin/mocha',
  // One at a time: they need the whole machine, and each starts the stores that it kills.
  ...(isFaults ? ['--no-parallel', '--exit'] : []),
  // One file starts what it needs itself.
  ...(isFaults || chosen.length === 1 ? [] : ['--require', `${support}/mocha-stores.js`]),
  // Every status of a contract is seen only by the whole suite.
  ...(isEverything && !isFaults && !isQuick ? coverageGates.flatMap((gate) => ['--require', gate]) : []),
  ...args.filter((argument) => !isTest(argument) && !own.includes(argument)),
  ...chosen.map(compiled),
];
const child = spawn(process.execPath, command, {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    ...(isFaults && { PETSTORE_TEST_FAULTS: 'on' }),
    ...(isQuick && { PETSTORE_TEST_QUICK: 'on' }),
  },
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
  const skipped = isEverything ? all.filter((path) => !quick.includes(path)) : [];
  if (skipped.length > 0) console.log(`  ${String(skipped.length)} files skipped, by --quick: ${skipped.join(' ')}`);
});

function isTest(argument) {
  const path = join(argument, '/');
  return folders.some((folder) => path.startsWith(`${folder}/`) || `${folder}/`.startsWith(path));
}

/** The compiled file of a test, which is beside its folder. */
function compiled(path) {
  return path.replace(/(^|\/)test\//, '$1build/test/').replace(/\.ts$/, '.js');
}

/** The files of a folder, or one file. @throws if there is none. */
function requireTests(path) {
  const found = sources.filter((source) => source === join(path) || source.startsWith(join(path, '/')));
  if (found.length === 0) throw new Error(`There are no tests in ${path}.`);
  return found;
}
