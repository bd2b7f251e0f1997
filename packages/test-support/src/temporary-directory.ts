import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let parent: string | undefined;

/** Creates an empty directory, which is removed with its siblings when the test run ends. */
export function temporaryDirectory(): string {
  parent ??= createParent();
  return mkdtempSync(join(parent, 'test-'));
}

function createParent(): string {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-'));
  // PostgreSQL runs as another user if the tests run as root, and needs access to its directory.
  chmodSync(directory, 0o711);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
}
