import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CommandContext, Output } from './context.js';

/** Maximum number of bytes that are read at once; the lines in them are processed together. */
const chunkBytes = 256 * 1024;

/** Whether a file argument is `-` or absent: the standard input or output. */
export function isStandardStream(file: string | undefined): file is '-' | undefined {
  return file === undefined || file === '-';
}

/** Reads a file, or the standard input for `-`. */
export function readFrom(file: string, { stdin }: CommandContext): Readable {
  return isStandardStream(file) ? stdin : createReadStream(file, { highWaterMark: chunkBytes });
}

/** Writes text to a file that only its owner can read, or to the standard output for `-` or no file. */
export async function writeTo(
  file: string | undefined,
  stdout: Output,
  text: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  if (isStandardStream(file)) await pipeline(Readable.from(text), stdout, { end: false });
  else await pipeline(Readable.from(text), await openPrivateFile(file));
}

/** Removes the permissions of other users, also from an existing file. The mode of a device or a pipe is kept. */
async function openPrivateFile(path: string) {
  const handle = await open(path, 'w', 0o600);
  if ((await handle.stat()).isFile()) await handle.chmod(0o600);
  return handle.createWriteStream();
}
