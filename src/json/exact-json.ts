import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { parseInt64 } from './int64.js';

/** JSON text of a `T`, written by the database or by `stringifyJson`. Integers of any size are exact. */
export type Json<T> = string & { readonly [jsonOf]: T };
declare const jsonOf: unique symbol;

/** A value that `parseJson` returns. Objects have no prototype, so no name is special. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | { [name: string]: JsonValue };

/** A syntax error. `message` completes the sentence "The body is not valid JSON: …". */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
}

/** The maximum depth of nested arrays and objects (RFC 8259, section 9, allows a limit). */
const depthMax = 64;

/**
 * Parses JSON (RFC 8259), more strictly than `JSON.parse`:
 *
 * - 64-bit integers are exact: a `number` within ±(2^53 − 1), a `bigint` beyond. Any other number is a double;
 *   `isFraction` recognizes `1.0` and `1e3`, which equal an integer but are not written as one.
 * - It rejects invalid UTF-8, lone surrogates, duplicate names in an object, numbers beyond the range of a double, and
 *   more than 64 levels of nesting.
 *
 * @param valuesMax the maximum number of values, arrays and objects included: parsing and validating each takes time.
 * @throws MalformedJson with the position of the first error.
 */
export function parseJson(bytes: Uint8Array, valuesMax = Infinity): JsonValue {
  if (!isUtf8(bytes)) throw new MalformedJson('invalid UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return new Parser(text, valuesMax).parseText();
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

/**
 * Writes JSON as `JSON.stringify` does, and a `bigint` as an integer. Members that are `undefined` are omitted.
 *
 * @param indent the number of spaces of a level; without it, everything is on one line.
 */
export function stringifyJson<T>(value: T, indent = 0): Json<T> {
  try {
    return JSON.stringify(value, undefined, indent) as Json<T>;
  } catch {
    // A bigint, for which only these values have a replacer, because it takes longer; any other error is thrown again.
    const replace = (_: string, member: unknown) => (typeof member === 'bigint' ? mark + String(member) : member);
    return JSON.stringify(value, replace, indent).replace(markedText, '$1') as Json<T>;
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
    this.skipWhiteSpace();
    if (this.at < this.text.length) throw this.error('unexpected characters after the JSON value');
    return value;
  }

  private parseValue(depth: number): JsonValue {
    this.skipWhiteSpace();
    if ((this.values += 1) > this.valuesMax) throw this.error(`more than ${String(this.valuesMax)} values`);
    const first = this.text[this.at];
    if (first === '"') return this.parseString();
    if (first === '{') return this.parseObject(depth + 1);
    return first === '[' ? this.parseArray(depth + 1) : this.parseScalar();
  }

  private parseObject(depth: number): JsonValue {
    this.enter(depth);
    const object = Object.create(null) as { [name: string]: JsonValue };
    if (this.skip('}')) return object;
    do {
      this.skipWhiteSpace();
      if (this.text[this.at] !== '"') throw this.error('expected a property name in double quotes');
      const nameAt = this.at;
      const name = this.parseString();
      if (name in object) throw this.error(`duplicate property name ${JSON.stringify(name.slice(0, 64))}`, nameAt);
      if (!this.skip(':')) throw this.error('expected a colon');
      object[name] = this.parseValue(depth);
      if (this.isFraction) this.markFraction(object, name);
    } while (this.skip(','));
    if (!this.skip('}')) throw this.error('expected a comma or a closing brace');
    return object;
  }

  private parseArray(depth: number): JsonValue {
    this.enter(depth);
    const array: JsonValue[] = [];
    if (this.skip(']')) return array;
    do {
      array.push(this.parseValue(depth));
      if (this.isFraction) this.markFraction(array, array.length - 1);
    } while (this.skip(','));
    if (!this.skip(']')) throw this.error('expected a comma or a closing bracket');
    return array;
  }

  private parseString(): string {
    const start = this.at;
    this.match(string);
    if (this.text[this.at] !== '"') throw this.error('unterminated string or unescaped character');
    this.at += 1;
    const raw = this.text.slice(start, this.at);
    // Only an escape can produce a lone surrogate: valid UTF-8 contains none.
    if (!raw.includes('\\')) return raw.slice(1, -1);
    const value = JSON.parse(raw) as string;
    if (!value.isWellFormed()) throw this.error('unpaired surrogate in a string', start);
    return value;
  }

  private parseScalar(): number | bigint | boolean | null {
    const start = this.at;
    if (!this.match(scalar)) throw this.error('expected a value');
    const text = this.text.slice(start, this.at);
    if (/^[tfn]/.test(text)) return JSON.parse(text) as boolean | null;
    const integer = parseInt64(text);
    if (integer !== undefined) return integer;
    const double = Number(text);
    if (!Number.isFinite(double)) throw this.error('number beyond the range of a double', start);
    this.isFraction = Number.isSafeInteger(double);
    return double;
  }

  private markFraction(parent: object, name: string | number): void {
    this.isFraction = false;
    fractions.set(parent, (fractions.get(parent) ?? new Set()).add(name));
  }

  private enter(depth: number): void {
    if (depth > depthMax) throw this.error(`nested deeper than ${String(depthMax)} levels`);
    this.at += 1;
  }

  /** Skips white space and `character`. Returns whether the character was there. */
  private skip(character: string): boolean {
    this.skipWhiteSpace();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private skipWhiteSpace(): void {
    let code = this.text.charCodeAt(this.at);
    // A space, a line feed, a carriage return or a tab.
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)
      code = this.text.charCodeAt((this.at += 1));
  }

  /** Skips a match of the pattern. Returns whether it matched. */
  private match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const isFound = pattern.test(this.text);
    if (isFound) this.at = pattern.lastIndex;
    return isFound;
  }

  private error(problem: string, at = this.at): MalformedJson {
    if (at >= this.text.length) return new MalformedJson(`unexpected end of JSON, after ${String(at)} characters.`);
    return new MalformedJson(`${problem}, at character ${String(at + 1)}.`);
  }
}
