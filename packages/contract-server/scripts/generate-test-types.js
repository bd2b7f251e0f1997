/** Generates the types of the contracts of tests, which are not committed. */
import { mkdir, writeFile } from 'node:fs/promises';
import { generateTypes } from '../dist/generate/generate-types.js';
import { generatedFiles } from '../dist/generate/generated-files.js';

for (const name of ['second-contract', 'trains', 'notes', 'uploads', 'migration']) {
  const generated = await generateTypes(new URL(`../test/${name}/contract.yaml`, import.meta.url));
  for (const [path, text] of generatedFiles('contract.d.ts', '', generated)) {
    // The compiler emits no file for a declaration.
    const root = path.endsWith('.js') ? '../build/test/' : '../test/';
    const folder = new URL(`${root}${name}/generated/`, import.meta.url);
    await mkdir(folder, { recursive: true });
    await writeFile(new URL(path, folder), text);
  }
}
