import { parseJson, TooManyValues } from '../json/exact-json.js';

/** The maximum size of the fields of a multipart body that are not files, in bytes: they are held in memory. */
export const fieldBytesMax = 1024 * 1024;

/** How many values a body may still have, in all of its fields: parsing and validating each takes time. */
export class ValueBudget {
  private used = 0;
  private bytes = 0;

  constructor(private readonly max: number) {}

  /** @param noun of the values, for the message. @throws TooManyValues */
  take(count: number, noun = 'values'): void {
    this.used += count;
    if (this.used > this.max) throw new TooManyValues(`more than ${String(this.max)} ${noun}`);
  }

  /** Counts bytes of fields that are not files. @throws TooManyValues */
  takeBytes(count: number): void {
    this.bytes += count;
    if (this.bytes > fieldBytesMax)
      throw new TooManyValues(`more than ${String(fieldBytesMax)} bytes in fields that are not files`);
  }

  /** The JSON value of a field; its text if it is not JSON, which validation reports. @throws TooManyValues */
  parseJson(bytes: Buffer): unknown {
    try {
      // The parser stops at the first value beyond the limit.
      const value = parseJson(bytes, this.max - this.used);
      this.take(countValues(value));
      return value;
    } catch (error) {
      if (error instanceof SyntaxError) return bytes.toString();
      throw error instanceof TooManyValues ? new TooManyValues(`more than ${String(this.max)} values`) : error;
    }
  }
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((count, member) => count + countValues(member), 1);
}
