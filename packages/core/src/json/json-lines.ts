import { appendJson, type JsonValue, stringifyJson, TooManyValues } from './exact-json.js';

/**
 * Parses JSON lines (NDJSON 1.0): a JSON value on each line, of which blank ones are ignored.
 *
 * @param valuesMax the maximum number of values of all lines, arrays and objects included.
 * @throws SyntaxError with the line and the position of the first error.
 * @throws TooManyValues
 */
export function parseJsonLines(bytes: Uint8Array, valuesMax = Infinity): JsonValue[] {
  const values: JsonValue[] = [];
  let left = valuesMax;
  for (const { number, line } of linesOf(bytes)) {
    try {
      left -= appendJson(values, line, left);
    } catch (error) {
      if (error instanceof TooManyValues) throw new TooManyValues(`more than ${String(valuesMax)} values`);
      throw error instanceof SyntaxError ? new SyntaxError(`line ${String(number)}: ${error.message}`) : error;
    }
  }
  return values;
}

/** Writes an array as JSON lines. What JSON does not have, such as `undefined`, is null, as in a JSON array. */
export function stringifyJsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${(stringifyJson(value) as string | undefined) ?? 'null'}\n`).join('');
}

const lineFeed = 0x0a;
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** The lines that are not blank, with their numbers. Blank ones are skipped byte by byte, because they may be many. */
function* linesOf(bytes: Uint8Array): Generator<{ readonly number: number; readonly line: Uint8Array }> {
  let number = 1;
  let start = byteOrderMark.every((byte, index) => bytes[index] === byte) ? byteOrderMark.length : 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x20 || byte === 0x09 || byte === 0x0d) continue;
    if (byte !== lineFeed) {
      const end = bytes.indexOf(lineFeed, at);
      at = end < 0 ? bytes.length : end;
      yield { number, line: bytes.subarray(start, at) };
    }
    number += 1;
    start = at + 1;
  }
}
