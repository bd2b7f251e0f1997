/** Sixteen digits are the fewest that a JavaScript number can round. */
const mayBeRounded = /[0-9]{16}/;
const plainInteger = /^-?[0-9]+$/;
/** What valid JSON consists of beside blanks, commas and colons. */
const token = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^\s,:[\]{}"]+/g;

/**
 * Reads JSON as `JSON.parse` does, but that an integer beyond ±(2^53 − 1) becomes a `bigint` instead of another
 * integer.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!mayBeRounded.test(text)) return value;
  // The text is valid, so the tokens need no more checks.
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

/**
 * Writes JSON as `JSON.stringify` does, and a `bigint` as the integer that it is.
 *
 * @throws RangeError for an integer beyond ±(2^53 − 1) that is a `number`: it has been rounded already.
 */
export function stringifyJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`${String(value)} is beyond 2^53 − 1, where numbers are rounded. Use a bigint.`);
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${stringifyJson(member)}`).join(',')}}`;
}
