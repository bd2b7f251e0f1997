import { readFileSync } from 'node:fs';

const { workspaces } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The folders of the packages of the library, such as `packages/core`. */
export const packages = workspaces.filter((path) => path.startsWith('packages/'));
