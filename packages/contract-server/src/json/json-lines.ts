import { type JsonValue, parseItem, stringifyJson, TooManyValues } from './exact-json.js';

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
  let number = 0;
  for (const line of linesOf(bytes)) {
    number += 1;
    if (isBlank(line)) continue;
    try {
      left -= countOf(parseItem(values, line, left));
    } catch (error) {
      if (error instanceof TooManyValues) throw new TooManyValues(`more than ${String(valuesMax)} values`);
      throw error instanceof SyntaxError ? new SyntaxError(`line ${String(number)}: ${error.message}`) : error;
    }
  }
  return values;
}

/** Writes an array as JSON lines. */
export function stringifyJsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${stringifyJson(value)}\n`).join('');
}

/** The number of values in a value, arrays and objects included, as `parseJson` counts them. */
export function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((count, member) => count + countOf(member), 1);
}

const lineFeed = 0x0a;
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d]);

function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, start);
    yield bytes.subarray(start, end < 0 ? bytes.length : end);
    start = end < 0 ? bytes.length : end + 1;
  }
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => blanks.has(byte));
}
