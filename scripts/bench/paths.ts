import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const parent = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
// PostgreSQL may run as another user, and needs access to its directory.
chmodSync(parent, 0o711);
process.once('exit', () => rmSync(parent, { recursive: true, force: true, maxRetries: 3 }));

/** The path of a file of the project; this module runs from `build/scripts/bench/`. */
export function rootPath(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}

/** Creates a directory that is removed when this process exits. */
export function temporaryDirectory(): string {
  return mkdtempSync(join(parent, 'bench-'));
}
