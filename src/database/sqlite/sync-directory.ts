import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Brings the names in a directory to the disk, where the file system knows how; as in SQLite, it is no failure if it
 * does not.
 */
export function syncDirectory(path: string): void {
  try {
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The file systems that cannot do this are those of other systems, and of networks.
  }
}
