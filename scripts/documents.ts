import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project; this module runs from `build/scripts/`. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);
const folders = [
  '.',
  'docs',
  'packages/contract-server/docs',
  'packages/contract-server/template',
  ...packages,
  'examples/conduit',
];

/** The documents of the project, by their path in `root`. */
export const documents: readonly string[] = folders.flatMap((folder) =>
  readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? [join(folder, name)] : [])),
);
