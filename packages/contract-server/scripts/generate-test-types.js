/** Generates the types of the contracts of tests, which are not committed. */
import { mkdir, writeFile } from 'node:fs/promises';
import { generateTypes } from '../dist/generate/generate-types.js';

for (const name of ['second-contract', 'trains', 'notes', 'uploads', 'migration']) {
  const folder = new URL(`../test/${name}/`, import.meta.url);
  await mkdir(new URL('generated/', folder), { recursive: true });
  const { types } = await generateTypes(new URL('contract.yaml', folder));
  await writeFile(new URL('generated/contract.d.ts', folder), types);
}
