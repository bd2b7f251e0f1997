import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StartError, systemReasonOf } from '@contract-server/core/lib/errors.js';

/** Creates a file that only its owner can access. SQLite gives its side files the same permissions. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

/** Creates a directory and its parents. @throws StartError */
export function makeDirectory(path: string): void {
  try {
    makeDirectories(resolve(path));
  } catch (error) {
    throw new StartError(`Cannot create DATA_DIR ${path}: ${systemReasonOf(error)}.`, { cause: error });
  }
  // SQLite syncs its files, but not the directory that they are in.
  syncDirectory(dirname(path));
}

/** Like `recursive` of `mkdirSync`, with which Node 20 never returns for a directory in /proc. */
function makeDirectories(path: string): void {
  if (!existsSync(dirname(path))) makeDirectories(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (!existsSync(path) || !statSync(path).isDirectory()) throw error;
  }
}

/** Syncs the entries of a directory to disk. As in SQLite, it is not an error if the file system cannot do it. */
export function syncDirectory(path: string): void {
  try {
    syncFile(path, 'r');
  } catch {
    // Network file systems and other operating systems do not support this.
  }
}

export function syncFile(path: string, flags = 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The device and inode of a file, which are unique while it is open; `undefined` if it does not exist. */
export function findInode(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${String(dev)} ${String(ino)}`;
  } catch {
    return undefined;
  }
}
