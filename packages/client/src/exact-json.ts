/**
 * Exact JSON for the published client, which must not contain the strict parser of the service: this one accepts what
 * `JSON.parse` accepts.
 */

/** JavaScript rounds no shorter integer. */
const mayBeRounded = /[0-9]{16}/;
/** The strings and the numbers of a JSON text. */
const token = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/g;
const plainInteger = /^-?[1-9][0-9]*$/;
/** Begins the text of a large integer while JSON.parse and JSON.stringify see a string. The service rejects NUL. */
const mark = '\0bigint ';
const markedText = /"\\u0000bigint (-?[0-9]+)"/g;

/** Parses JSON like `JSON.parse`, but an integer beyond ±(2^53 − 1) becomes a `bigint`. @throws SyntaxError */
export function parseJson(text: string): unknown {
  if (!mayBeRounded.test(text)) return JSON.parse(text);
  const marked = text.replace(token, (part) =>
    plainInteger.test(part) && !Number.isSafeInteger(Number(part)) ? JSON.stringify(mark + part) : part,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** Writes JSON like `JSON.stringify`, and a `bigint` as an integer. @throws RangeError as `requireExact` does. */
export function stringifyJson(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) => {
    requireExact(member);
    return typeof member === 'bigint' ? `${mark}${String(member)}` : member;
  }) as string | undefined;
  return (text ?? 'null').replace(markedText, '$1');
}

/** @throws RangeError for NaN, an infinite number, and an integer beyond ±(2^53 − 1), which may have been rounded. */
export function requireExact(value: unknown): void {
  if (typeof value !== 'number') return;
  if (!Number.isFinite(value)) throw new RangeError(`${String(value)} cannot be sent.`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError(`${String(value)} is beyond 2^53 − 1, where numbers are rounded. Use a bigint.`);
}
