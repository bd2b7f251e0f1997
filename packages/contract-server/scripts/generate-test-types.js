/**
 * Generates the types of the contracts of tests, which are not committed, if a contract or a module of contract-server
 * has changed since.
 */
import { readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const examples = import.meta.resolve('@readme/oas-examples/package.json');
const contracts = {
  ...Object.fromEntries(
    ['second-contract', 'trains', 'notes', 'uploads', 'migration'].map((name) => [
      `${name}/generated/contract`,
      new URL(`../test/${name}/contract.yaml`, import.meta.url),
    ]),
  ),
  ...Object.fromEntries(
    ['museum', 'petstore'].map((name) => [
      `public-contracts/generated/${name}`,
      new URL(`../test/public-contracts/${name}.yaml`, import.meta.url),
    ]),
  ),
  'toys/generated/contract': new URL('../test/contract.yaml', import.meta.url),
  'public-contracts/generated/train-travel': new URL('3.1/yaml/train-travel.yaml', examples),
};

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const modules = readdirSync(dist, { recursive: true }).filter((path) => path.endsWith('.js'));
const changedAt = Math.max(
  ...[...modules.map((path) => `${dist}/${path}`), ...Object.values(contracts)].map(writtenAt),
);
/** What a build of the service of the toys stores, so that its starts take as long as those of a service. */
const checkedContract = new URL('../build/test/toys/checked-contract.json', import.meta.url);
const outputs = Object.keys(contracts)
  .flatMap((output) => [`../test/${output}.d.ts`, `../build/test/${output}.js`])
  .map((path) => new URL(path, import.meta.url))
  .concat(checkedContract);
if (Math.min(...outputs.map(writtenAt)) <= changedAt) await generate();

function writtenAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function generate() {
  // Loaded on demand, because loading the TypeScript compiler takes a second.
  const { generateTypes } = await import('../dist/generate/generate-types.js');
  const { buildContract } = await import('../dist/contract/load/load-contract.js');
  const { generatedFiles } = await import('../dist/generate/generated-files.js');
  for (const [output, contract] of Object.entries(contracts)) {
    for (const [path, text] of generatedFiles(`${output}.d.ts`, '', await generateTypes(contract))) {
      // The compiler emits no file for a declaration.
      const file = new URL(path, new URL(path.endsWith('.js') ? '../build/test/' : '../test/', import.meta.url));
      await mkdir(new URL('.', file), { recursive: true });
      await writeFile(file, text);
    }
  }
  await buildContract({ contract: contracts['toys/generated/contract'], checkedContract });
}
