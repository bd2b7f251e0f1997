import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { StartError } from '../lib/errors.js';

/** Creates a file that only its owner can access. SQLite gives its side files the same permissions. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

/** Creates a directory and its parents, which only their owner can access. @throws StartError */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = /: (.+), mkdir/.exec((error as Error).message)?.[1] ?? (error as Error).message;
    throw new StartError(`Cannot create DATA_DIR ${path}: ${reason}.`, { cause: error });
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
