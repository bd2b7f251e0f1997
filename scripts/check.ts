/**
 * Runs the static checks: `npm run check` runs every step, `npm run check -- lint format` the named ones. After a
 * failed step the next one still runs, so one run shows every problem. Two commands run at a time.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const packages = ['client', 'core', 'diff', 'testing', 'contract-server'].map((name) => `packages/${name}`);

/**
 * Lints only files whose text has changed. A change can cause new results of typed rules in other files; to see them,
 * delete the cache with `rm -r build/eslint`. CI has no cache.
 */
const lint = (cache: string, files: string) =>
  `eslint --max-warnings 0 --cache --cache-strategy content --cache-location build/eslint/${cache} ${files}`;

/** The commands of each step: lists that run side by side, each in its order. The longest step is first. */
const steps: Readonly<Record<string, readonly (readonly string[])[]>> = {
  lint: [[lint('packages', 'packages')], [lint('others', '. --ignore-pattern packages/')]],
  package: packages.map((path) => [`publint --strict ${path}`, `attw --pack ${path} --profile esm-only --quiet`]),
  client: [
    [
      'node build/scripts/client-package.js',
      'publint --strict build/client-package',
      'attw --pack build/client-package --profile esm-only --exclude-entrypoints openapi.yaml --quiet',
    ],
  ],
  generated: [
    ['contract-server generate spec/petstore.yaml --check'],
    ['npm run --silent generate -w examples/conduit -- --check'],
  ],
  release: [['node build/scripts/check-release.js']],
  format: [['biome check . --error-on-warnings']],
  layers: [['depcruise --config config/dependency-cruiser.cjs src packages/*/src examples/conduit/src']],
  unused: [['knip --config config/knip.jsonc']],
  docs: [['node build/scripts/check-docs.js']],
  contract: [['redocly lint --config config/redocly.yaml spec/petstore.yaml examples/conduit/spec/conduit.yaml']],
  containers: [
    ['dockerfile-utils lint Dockerfile', 'dclint compose.yaml --config deploy/dclint.yaml --max-warnings 0'],
  ],
};

const args = process.argv.slice(2);
const unknown = args.filter((name) => !Object.hasOwn(steps, name));
if (unknown.length > 0) {
  console.error(`Unknown step: ${unknown.join(', ')}. The steps are: ${Object.keys(steps).join(', ')}.`);
  process.exit(2);
}

const names = args.length === 0 ? Object.keys(steps) : args;
const waiting = names.flatMap((name) => (steps[name] ?? []).map((commands) => ({ name, commands })));
const failed = new Set<string>();
await Promise.all([runWaiting(), runWaiting()]);
if (failed.size > 0) {
  console.error(`Failed: ${[...failed].join(', ')}.`);
  process.exitCode = 1;
}

/** Runs lists of commands until none is waiting. A list ends with the first command that fails. */
async function runWaiting(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const startedAt = performance.now();
    let isPassed = true;
    for (const command of next.commands) isPassed &&= await run(command);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
    console.log(`${isPassed ? '✔' : '✖'} ${next.name.padEnd(10)} ${seconds} s`);
    if (!isPassed) failed.add(next.name);
  }
}

/** Runs a command of the project or of an installed package. Prints its output if it fails. */
async function run(command: string): Promise<boolean> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  try {
    await promisify(execFile)('sh', ['-c', command], options);
    return true;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    console.error(`$ ${command}\n${stdout}${stderr}`);
    return false;
  }
}
