import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';

/**
 * Opens a file for writing that only its owner can read, even if others could before. A device or a pipe keeps its
 * mode.
 */
export async function openPrivateFile(path: string): Promise<Writable> {
  const handle = await open(path, 'w', 0o600);
  if ((await handle.stat()).isFile()) await handle.chmod(0o600);
  return handle.createWriteStream();
}
