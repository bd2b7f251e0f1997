/** Generates the types of the contracts of tests, which are not committed. */
import { mkdir, writeFile } from 'node:fs/promises';
import { generateTypes } from '../dist/generate/generate-types.js';
import { generatedFiles } from '../dist/generate/generated-files.js';

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
  'public-contracts/generated/train-travel': new URL('3.1/yaml/train-travel.yaml', examples),
};

for (const [output, contract] of Object.entries(contracts)) {
  for (const [path, text] of generatedFiles(`${output}.d.ts`, '', await generateTypes(contract))) {
    // The compiler emits no file for a declaration.
    const file = new URL(path, new URL(path.endsWith('.js') ? '../build/test/' : '../test/', import.meta.url));
    await mkdir(new URL('.', file), { recursive: true });
    await writeFile(file, text);
  }
}
