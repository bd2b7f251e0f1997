import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that is removed when this process ends. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  return path;
}
