import { isUtf8 } from 'node:buffer';
import { parseInt64 } from './int64.js';

/** JSON text of a `T`, written by the database or by `stringifyJson`: integers of any size stay exact. */
export type Json<T> = string & { readonly [jsonOf]: T };
declare const jsonOf: unique symbol;

/** A value that `parseJson` reads. Objects have no prototype, so that no name in them is special. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | { [name: string]: JsonValue };

/** The bytes are not JSON. `message` completes the sentence "The body is not valid JSON: …". */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
}

/** Containers inside each other beyond this are refused (RFC 8259, section 9, allows a limit). */
const depthMax = 64;

/**
 * Reads one JSON text (RFC 8259) exactly, and more strictly than `JSON.parse`:
 *
 * - Integers of 64 bits are exact: a `number` within ±(2^53 − 1), else a `bigint`. Any other number, also `1.0` and
 *   `1e3`, becomes `NaN`, which no schema accepts, rather than a rounded value which one might.
 * - Invalid UTF-8, lone surrogates, a name that stands twice in one object, and nesting beyond 64 levels are refused.
 *
 * @param valuesMax the maximum number of values in the text, containers included: each costs time, here and in whatever
 * validates them.
 * @throws MalformedJson with the place of the first fault.
 */
export function parseJson(bytes: Uint8Array, valuesMax = Infinity): JsonValue {
  if (!isUtf8(bytes)) throw new MalformedJson('it is not UTF-8.');
  return new Reader(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
    valuesMax,
  ).readText();
}

/**
 * Writes what JSON can hold as `JSON.stringify` does, and a `bigint` as the integer that it is. Members that are
 * `undefined` are left out.
 */
export function stringifyJson<T>(value: T): Json<T> {
  return (holdsBigint(value) ? write(value) : JSON.stringify(value)) as Json<T>;
}

function holdsBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  for (const name in value) if (holdsBigint((value as Readonly<Record<string, unknown>>)[name])) return true;
  return false;
}

function write(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  let members = '';
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${write(member)}`;
  }
  return `{${members}}`;
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// A control character, a backslash that no escape follows, or the end of the text stops the match before the closing
// quote.
const string = /"[^"\\\x00-\x1F]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1F]*)*/y;

/** Recursive descent over one text; `at` is the index of the next character to read. */
class Reader {
  private at = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly valuesMax: number,
  ) {}

  readText(): JsonValue {
    const value = this.readValue(0);
    this.skipBlanks();
    if (this.at < this.text.length) throw this.fault('something follows the value');
    return value;
  }

  private readValue(depth: number): JsonValue {
    this.skipBlanks();
    this.values += 1;
    if (this.values > this.valuesMax) throw this.fault(`it has more than ${String(this.valuesMax)} values`);
    switch (this.text[this.at]) {
      case '{':
        return this.readObject(depth + 1);
      case '[':
        return this.readArray(depth + 1);
      case '"':
        return this.readString();
      case 't':
        return this.readLiteral('true', true);
      case 'f':
        return this.readLiteral('false', false);
      case 'n':
        return this.readLiteral('null', null);
      default:
        return this.readNumber();
    }
  }

  private readObject(depth: number): JsonValue {
    this.enter(depth);
    const object = Object.create(null) as { [name: string]: JsonValue };
    if (this.skip('}')) return object;
    do {
      this.skipBlanks();
      if (this.text[this.at] !== '"') throw this.fault('a name in double quotes is missing');
      const nameAt = this.at;
      const name = this.readString();
      if (name in object)
        throw this.fault(`the name ${JSON.stringify(name.slice(0, 64))} stands twice in one object`, nameAt);
      if (!this.skip(':')) throw this.fault('a colon is missing');
      object[name] = this.readValue(depth);
    } while (this.skip(','));
    if (!this.skip('}')) throw this.fault('a comma or a closing brace is missing');
    return object;
  }

  private readArray(depth: number): JsonValue {
    this.enter(depth);
    const array: JsonValue[] = [];
    if (this.skip(']')) return array;
    do array.push(this.readValue(depth));
    while (this.skip(','));
    if (!this.skip(']')) throw this.fault('a comma or a closing bracket is missing');
    return array;
  }

  private readString(): string {
    const start = this.at;
    this.match(string);
    if (this.text[this.at] !== '"') throw this.fault('a string is not closed, or has a character that must be escaped');
    this.at += 1;
    const raw = this.text.slice(start, this.at);
    // Only an escape can name a lone surrogate: the UTF-8 that was checked before has none.
    if (!raw.includes('\\')) return raw.slice(1, -1);
    const value = JSON.parse(raw) as string;
    if (!value.isWellFormed()) throw this.fault('a string has half of a surrogate pair', start);
    return value;
  }

  private readNumber(): number | bigint {
    const start = this.at;
    if (!this.match(number)) throw this.fault('a value is missing');
    return parseInt64(this.text.slice(start, this.at)) ?? NaN;
  }

  private readLiteral<T extends boolean | null>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.fault('a value is missing');
    this.at += word.length;
    return value;
  }

  private enter(depth: number): void {
    if (depth > depthMax) throw this.fault(`it is nested deeper than ${String(depthMax)} levels`);
    this.at += 1;
  }

  /** Skips blanks, then `character`, and says whether that stood there. */
  private skip(character: string): boolean {
    this.skipBlanks();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private skipBlanks(): void {
    const { text } = this;
    let { at } = this;
    let code = text.charCodeAt(at);
    // A space, a line feed, a carriage return or a tab.
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt((at += 1));
    this.at = at;
  }

  /** Skips what a pattern finds here, and says whether it found anything. */
  private match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const isFound = pattern.test(this.text);
    if (isFound) this.at = pattern.lastIndex;
    return isFound;
  }

  private fault(what: string, at = this.at): MalformedJson {
    if (at >= this.text.length) return new MalformedJson(`it ends too early, after ${String(at)} characters.`);
    return new MalformedJson(`${what}, at character ${String(at + 1)}.`);
  }
}
