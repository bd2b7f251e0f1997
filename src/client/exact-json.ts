/** A JavaScript number can only round integers of at least 16 digits. */
const mayBeRounded = /[0-9]{16}/;
const plainInteger = /^-?[0-9]+$/;
/** The tokens of valid JSON, without white space, commas and colons. */
const token = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^\s,:[\]{}"]+/g;

/** Parses JSON like `JSON.parse`, but an integer beyond ±(2^53 − 1) becomes a `bigint`. @throws SyntaxError */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!mayBeRounded.test(text)) return value;
  // JSON.parse has validated the text.
  return readValue(text.matchAll(token));
}

function readValue(tokens: IterableIterator<RegExpExecArray>, first = next(tokens)): unknown {
  if (first === '[') {
    const items: unknown[] = [];
    for (let item = next(tokens); item !== ']'; item = next(tokens)) items.push(readValue(tokens, item));
    return items;
  }
  if (first === '{') {
    const members: [string, unknown][] = [];
    for (let name = next(tokens); name !== '}'; name = next(tokens)) {
      members.push([JSON.parse(name) as string, readValue(tokens)]);
    }
    return Object.fromEntries(members);
  }
  const value: unknown = JSON.parse(first);
  return plainInteger.test(first) && !Number.isSafeInteger(value) ? BigInt(first) : value;
}

function next(tokens: IterableIterator<RegExpExecArray>): string {
  return (tokens.next().value as RegExpExecArray)[0];
}

/** @throws RangeError for NaN, an infinite number, and an integer beyond ±(2^53 − 1), which may have been rounded. */
export function requireExact(value: unknown): void {
  if (typeof value !== 'number') return;
  if (!Number.isFinite(value)) throw new RangeError(`${String(value)} cannot be sent.`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`${String(value)} is beyond 2^53 − 1, where numbers are rounded. Use a bigint.`);
  }
}

/**
 * Serializes a value like `JSON.stringify`, and a `bigint` as an integer. What JSON cannot express (`undefined`, functions
 * and symbols) is omitted from objects, and `null` elsewhere. @throws RangeError as `requireExact` does.
 */
export function stringifyJson(value: unknown): string {
  return serialize(value) ?? 'null';
}

function serialize(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  requireExact(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return serialize((value as Date).toJSON());
  if (Array.isArray(value)) return `[${Array.from(value, stringifyJson).join(',')}]`;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = serialize(member);
    return text === undefined ? [] : `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(',')}}`;
}
