import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { parseInt64 } from './int64.js';
import { setMember } from './object-members.js';

/** JSON text of a `T`, written by the database or by `stringifyJson`. Integers of any size are exact. */
export type Json<T> = string & { readonly [jsonOf]: T };
declare const jsonOf: unique symbol;

/** A value that `parseJson` returns. A member can have any name, also `__proto__`. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
type JsonObject = { [name: string]: JsonValue };

/** The maximum depth of nested arrays and objects (RFC 8259, section 9, allows a limit). */
const depthMax = 64;

/**
 * Parses JSON (RFC 8259), more strictly than `JSON.parse`, but ignores a byte order mark at the start (section 8.1):
 *
 * - 64-bit integers are exact: a `number` within ±(2^53 − 1), a `bigint` beyond. Any other number is a double;
 *   `isFraction` recognizes `1.0` and `1e3`, which equal an integer but are not written as one.
 * - It rejects invalid UTF-8, lone surrogates, duplicate names in an object, numbers beyond the range of a double, and
 *   more than 64 levels of nesting.
 *
 * @param valuesMax the maximum number of values, arrays and objects included: parsing and validating each takes time.
 * @throws SyntaxError with the position of the first error; its message completes "The body is not valid JSON: …".
 * @throws TooManyValues
 */
export function parseJson(bytes: Uint8Array, valuesMax = Infinity): JsonValue {
  return parserOf(bytes, valuesMax).parseText();
}

/**
 * Parses JSON to a new item of an array, of which `isFraction` then knows how it is written.
 *
 * @returns the number of values in the item, as `parseJson` counts them.
 * @throws SyntaxError and TooManyValues, as `parseJson` does.
 */
export function appendJson(items: JsonValue[], bytes: Uint8Array, valuesMax: number): number {
  return parserOf(bytes, valuesMax).parseItem(items);
}

function parserOf(bytes: Uint8Array, valuesMax: number): Parser {
  if (!isUtf8(bytes)) throw new SyntaxError('invalid UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return new Parser(text.replace(/^\ufeff/, ''), valuesMax);
}

/** The text has more values than allowed. Its message completes "The body has …". */
export class TooManyValues extends Error {
  override readonly name = 'TooManyValues';
}

/** The members that equal an integer, but are not written as one. */
const fractions = new WeakMap<object, Set<string | number>>();

/** Whether `parseJson` has read a member of an object or an array from a number like `1.0` or `1e3`. */
export function isFraction(parent: object, name: string | number): boolean {
  return fractions.get(parent)?.has(name) ?? false;
}

/** Begins the text of a `bigint` while JSON.stringify sees a string. It is random, so no other string has it. */
const mark = randomUUID();
const markedText = new RegExp(`"${mark}(-?[0-9]+)"`, 'g');

/** Writes JSON as `JSON.stringify` does, and a `bigint` as an integer. Members that are `undefined` are omitted. */
export function stringifyJson<T>(value: T): Json<T> {
  return write(value) as Json<T>;
}

/** Writes the same on several lines, for people. */
export function formatJson(value: unknown): string {
  return write(value, 2);
}

function write(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    // A bigint, for which only these values have a replacer, because it takes longer; any other error is thrown again.
    const replace = (_: string, member: unknown) => (typeof member === 'bigint' ? mark + String(member) : member);
    return JSON.stringify(value, replace, indent).replace(markedText, '$1');
  }
}

/** A number or a literal. */
const scalar = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// A string without its closing quote. The match ends at a control character or an invalid escape too.
const string = /"[^"\\\x00-\x1F]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1F]*)*/y;

/** A recursive descent parser; `at` is the index of the next character. */
class Parser {
  private at = 0;
  private values = 0;
  /** Whether the value that was read last equals an integer, but is not written as one. */
  private isFraction = false;

  constructor(
    private readonly text: string,
    private readonly valuesMax: number,
  ) {}

  parseText(): JsonValue {
    const value = this.parseValue(0);
    if (this.peek() !== undefined) throw this.error('unexpected characters after the JSON value');
    return value;
  }

  parseItem(items: JsonValue[]): number {
    this.add(items, items.length, this.parseText());
    return this.values;
  }

  private parseValue(depth: number): JsonValue {
    const first = this.peek();
    this.values += 1;
    if (this.values > this.valuesMax) throw new TooManyValues(`more than ${String(this.valuesMax)} values`);
    if (first === '"') return this.parseString();
    if (first === '{') return this.parseMembers({}, '}', depth + 1);
    return first === '[' ? this.parseMembers([], ']', depth + 1) : this.parseScalar();
  }

  /** Parses an array or an object, up to its closing character, and adds its members to `parent`. */
  private parseMembers(parent: JsonValue[] | JsonObject, close: ']' | '}', depth: number): JsonValue {
    if (depth > depthMax) throw this.error(`nested deeper than ${String(depthMax)} levels`);
    this.at += 1;
    if (this.skip(close)) return parent;
    do {
      const name = Array.isArray(parent) ? parent.length : this.parseName(parent);
      this.add(parent, name, this.parseValue(depth));
    } while (this.skip(','));
    if (!this.skip(close)) throw this.error(`expected a comma or a closing ${close === ']' ? 'bracket' : 'brace'}`);
    return parent;
  }

  private add(parent: JsonValue[] | JsonObject, name: string | number, value: JsonValue): void {
    if (typeof name === 'string') setMember(parent, name, value);
    else (parent as JsonValue[])[name] = value;
    if (this.isFraction) fractions.set(parent, (fractions.get(parent) ?? new Set()).add(name));
    this.isFraction = false;
  }

  /** Parses the name of a member, and the colon after it. */
  private parseName(object: JsonObject): string {
    if (this.peek() !== '"') throw this.error('expected a property name in double quotes');
    const start = this.at;
    const name = this.parseString();
    if (Object.hasOwn(object, name))
      throw this.error(`duplicate property name ${JSON.stringify(name.slice(0, 64))}`, start);
    if (!this.skip(':')) throw this.error('expected a colon');
    return name;
  }

  private parseString(): string {
    const start = this.at;
    const text = this.match(string);
    if (this.text[this.at] !== '"') throw this.error('unterminated string or unescaped character');
    this.at += 1;
    // Only an escape can produce a lone surrogate: valid UTF-8 contains none.
    if (!text.includes('\\')) return text.slice(1);
    const value = JSON.parse(`${text}"`) as string;
    if (!value.isWellFormed()) throw this.error('unpaired surrogate in a string', start);
    return value;
  }

  private parseScalar(): number | bigint | boolean | null {
    const start = this.at;
    const text = this.match(scalar);
    if (text === '') throw this.error('expected a value');
    const integer = parseInt64(text);
    if (integer !== undefined) return integer;
    const value = JSON.parse(text) as number | boolean | null;
    if (Math.abs(Number(value)) === Infinity) throw this.error('number beyond the range of a double', start);
    this.isFraction = Number.isSafeInteger(value);
    return value;
  }

  /** Skips white space and `character`. Returns whether the character was there. */
  private skip(character: string): boolean {
    if (this.peek() !== character) return false;
    this.at += 1;
    return true;
  }

  /** Skips white space and returns the next character; `undefined` at the end. */
  private peek(): string | undefined {
    let next = this.text[this.at];
    while (next === ' ' || next === '\n' || next === '\r' || next === '\t') next = this.text[(this.at += 1)];
    return next;
  }

  /** Skips a match of the pattern and returns it; the empty text if there is none. */
  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const start = this.at;
    if (pattern.test(this.text)) this.at = pattern.lastIndex;
    return this.text.slice(start, this.at);
  }

  private error(problem: string, at = this.at): SyntaxError {
    if (at >= this.text.length) return new SyntaxError(`unexpected end of JSON, after ${String(at)} characters.`);
    return new SyntaxError(`${problem}, at character ${String(at + 1)}.`);
  }
}
