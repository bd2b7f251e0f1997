/**
 * Runs the static checks: `npm run check` runs every step, `npm run check -- lint format` the named ones. After a
 * failed step the next one still runs, so one run shows every problem.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const steps: Readonly<Record<string, readonly string[]>> = {
  generated: [
    'contract-server generate spec/petstore.yaml --check',
    'npm run --silent generate -w examples/conduit -- --check',
  ],
  release: ['node build/scripts/check-release.js'],
  format: ['biome check . --error-on-warnings'],
  lint: ['eslint --max-warnings 0 .'],
  layers: ['depcruise --config config/dependency-cruiser.cjs src packages/contract-server/src examples/conduit/src'],
  unused: ['knip --config config/knip.jsonc'],
  docs: ['node build/scripts/check-docs.js'],
  contract: ['redocly lint --config config/redocly.yaml spec/petstore.yaml examples/conduit/spec/conduit.yaml'],
  client: [
    'node build/scripts/client-package.js',
    'publint --strict build/client-package',
    'attw --pack build/client-package --profile esm-only --exclude-entrypoints openapi.yaml --quiet',
  ],
  package: [
    'publint --strict packages/contract-server',
    'attw --pack packages/contract-server --profile esm-only --quiet',
  ],
  containers: ['dockerfile-utils lint Dockerfile', 'dclint compose.yaml --config deploy/dclint.yaml --max-warnings 0'],
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(steps, name));
if (unknown.length > 0) {
  console.error(`Unknown step: ${unknown.join(', ')}. The steps are: ${Object.keys(steps).join(', ')}.`);
  process.exit(2);
}

const failed: string[] = [];
for (const name of names.length === 0 ? Object.keys(steps) : names) {
  const startedAt = performance.now();
  const isPassed = (steps[name] ?? []).every(run);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
  console.log(`${isPassed ? '✔' : '✖'} ${name.padEnd(10)} ${seconds} s`);
  if (!isPassed) failed.push(name);
}
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
}

/** Runs a command of the project or of an installed package. Prints its output if it fails. */
function run(command: string): boolean {
  const options = { cwd: root, shell: true, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const { status, stdout, stderr } = spawnSync(command, options);
  if (status !== 0) console.error(`$ ${command}\n${stdout}${stderr}`);
  return status === 0;
}
