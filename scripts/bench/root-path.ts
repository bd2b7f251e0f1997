import { fileURLToPath } from 'node:url';

/** The path of a file of the project; this module runs from `build/scripts/bench/`. */
export function rootPath(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}
