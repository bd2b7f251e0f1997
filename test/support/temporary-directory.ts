import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let parent: string | undefined;

/** A new empty directory. When the test run ends it is removed, with everything that a test put beside it. */
export function temporaryDirectory(): string {
  parent ??= createParent();
  return mkdtempSync(join(parent, 'test-'));
}

function createParent(): string {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-'));
  // PostgreSQL, which runs as another user where the tests run as root, has to get at its own directory in it.
  chmodSync(directory, 0o711);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
}
