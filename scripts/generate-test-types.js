/**
 * Generates the types of the contracts of tests, which are not committed, if a contract or the library has changed
 * since.
 */
import { readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const examples = import.meta.resolve('@readme/oas-examples/package.json');

/** The contracts by the module of their types. */
const contracts = {
  ...Object.fromEntries(
    [
      'test-support/src/notes',
      'test-support/src/second-contract',
      'test-support/src/toys',
      'contract-server/test/migration',
      'contract-server/test/trains',
      'contract-server/test/uploads',
    ].map((folder) => [`packages/${folder}/generated/contract`, new URL(`packages/${folder}/contract.yaml`, root)]),
  ),
  ...Object.fromEntries(
    ['museum', 'petstore'].map((name) => [
      `packages/contract-server/test/public-contracts/generated/${name}`,
      new URL(`packages/contract-server/test/public-contracts/${name}.yaml`, root),
    ]),
  ),
  'packages/contract-server/test/public-contracts/generated/train-travel': new URL(
    '3.1/yaml/train-travel.yaml',
    examples,
  ),
};

/** What a build of the service of the toys stores, so that its starts take as long as those of a service. */
const checkedContract = new URL('packages/test-support/dist/toys/checked-contract.json', root);
const modules = ['client', 'core', 'contract-server']
  .map((name) => new URL(`packages/${name}/dist/`, root))
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => new URL(path, folder)))
  .filter(({ href }) => href.endsWith('.js'));
const changedAt = Math.max(...[...modules, ...Object.values(contracts)].map(writtenAt));
const outputs = Object.keys(contracts)
  .flatMap((module) => [`${module}.d.ts`, compiled(`${module}.js`)])
  .map((path) => new URL(path, root))
  .concat(checkedContract);
if (Math.min(...outputs.map(writtenAt)) <= changedAt) await generate();

function writtenAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Where the compiler would write a module; it emits no file for a declaration. */
function compiled(path) {
  return path.replace('/src/', '/dist/').replace('/test/', '/build/test/');
}

async function generate() {
  // Loaded on demand, because loading the TypeScript compiler takes a second.
  const { generateTypes } = await import('../packages/contract-server/dist/generate/generate-types.js');
  const { buildContract } = await import('@contract-server/core/load/load-contract.js');
  const { generatedFiles } = await import('../packages/contract-server/dist/generate/generated-files.js');
  for (const [module, contract] of Object.entries(contracts)) {
    for (const [path, text] of generatedFiles(`${module}.d.ts`, '', await generateTypes(contract))) {
      // Other packages read the declarations beside the compiled modules.
      const places = path.endsWith('.js') ? [compiled(path)] : [path, compiled(path)];
      for (const file of places.map((place) => new URL(place, root))) {
        await mkdir(new URL('.', file), { recursive: true });
        await writeFile(file, text);
      }
    }
  }
  await buildContract({ contract: contracts['packages/test-support/src/toys/generated/contract'], checkedContract });
}
