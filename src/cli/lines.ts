import { InvalidLineError } from '../openapi/ndjson-validator.js';
import { printable } from './output/format.js';

/** One line of a file, without its line ending. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** At most the first `bytesMax` bytes. */
  readonly bytes: Buffer;
}

export interface InvalidLine {
  readonly number: number;
  readonly message: string;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits bytes into lines that end in LF or CR LF; the last line may have no ending. node:readline and split2 do not
 * fit: they decode UTF-8, which hides invalid bytes, and hold a line of any length in memory. This function yields one
 * array of lines per chunk, because awaiting each of millions of lines is slow.
 */
export async function* splitLines(
  source: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<readonly Line[]> {
  let number = 0;
  let incomplete: Buffer = Buffer.alloc(0);
  const append = (bytes: Buffer) => {
    const kept = bytes.subarray(0, bytesMax - incomplete.length);
    if (incomplete.length === 0) incomplete = kept;
    else if (kept.length > 0) incomplete = Buffer.concat([incomplete, kept]);
  };
  const complete = (): Line => {
    const bytes = incomplete.at(-1) === carriageReturn ? incomplete.subarray(0, -1) : incomplete;
    incomplete = Buffer.alloc(0);
    return { number: ++number, bytes };
  };
  for await (const { buffer, byteOffset, byteLength } of source) {
    const chunk = Buffer.from(buffer, byteOffset, byteLength);
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      append(chunk.subarray(start, end));
      lines.push(complete());
      start = end + 1;
    }
    append(chunk.subarray(start));
    yield lines;
  }
  yield incomplete.length > 0 ? [complete()] : [];
}

/** Parses lines, and reports those that are invalid. Blank lines are ignored. */
export function parseLines<Value>(
  lines: readonly Line[],
  reader: { read(line: Uint8Array): Value },
): { values: Value[]; invalidLines: InvalidLine[] } {
  const values: Value[] = [];
  const invalidLines: InvalidLine[] = [];
  for (const { number, bytes } of lines) {
    if (isBlank(bytes)) continue;
    try {
      values.push(reader.read(bytes));
    } catch (error) {
      if (!(error instanceof InvalidLineError)) throw error;
      invalidLines.push({ number, message: error.message });
    }
  }
  return { values, invalidLines };
}

export function formatInvalidLine({ number, message }: InvalidLine): string {
  return `Line ${String(number)}: ${printable(message)}\n`;
}

/** Only the white space of JSON counts as blank (RFC 8259, section 2). */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === carriageReturn);
}
