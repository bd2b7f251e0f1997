import { printable } from '@contract-server/core/lib/printable.js';
import type { Output } from '../context.js';

/** The beginning of the line, and the sequence that clears a line of a terminal (ECMA-48, section 8.3.41). */
const clearLine = '\r\u001B[K';

/** Shows a line on a terminal for the time of the work. Elsewhere, it prints nothing. */
export async function withProgress<T>(stderr: Output, line: string, work: () => Promise<T>): Promise<T> {
  if (stderr.isTTY !== true) return work();
  stderr.write(printable(line));
  try {
    return await work();
  } finally {
    stderr.write(clearLine);
  }
}
