import { fileURLToPath } from 'node:url';

/** Where a file of the project lies. This one runs from `build/scripts/bench/`. */
export function rootPath(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}
