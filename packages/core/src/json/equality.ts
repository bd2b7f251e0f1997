/**
 * Whether no two values are equal in the sense of JSON Schema (2020-12 Core, section 4.2.2): numbers by their value,
 * objects by their members in any order. The time is linear in the size of the values.
 */
export function areDistinct(values: readonly unknown[]): boolean {
  const scalars = new Set<unknown>();
  const composites = new Set<unknown>();
  for (const value of values) {
    const seen = isComposite(value) ? composites : scalars;
    const key = keyOf(value);
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

/** Returns a function that finds a value among others, in the same sense, in a time that does not grow with them. */
export function finderOf(values: readonly unknown[]): (value: unknown) => boolean {
  const scalars = new Set(values.filter((value) => !isComposite(value)).map(keyOf));
  const composites = new Set(values.filter(isComposite).map(keyOf));
  return (value) => (isComposite(value) ? composites : scalars).has(keyOf(value));
}

function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The text of an object or an array, which is the same for equal ones, and a scalar itself. */
function keyOf(value: unknown): unknown {
  return isComposite(value) ? textOf(value) : exactNumberOf(value);
}

/** A double beyond 2^53 as an integer, which a value that was sent without an exponent is. */
function exactNumberOf(value: unknown): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

/** The text of a JSON value, which is the same for equal values and no others. */
export function textOf(value: unknown): string {
  if (!isComposite(value)) return typeof value === 'string' ? JSON.stringify(value) : String(exactNumberOf(value));
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  let text = '{';
  for (const name of Object.keys(value).sort())
    text += `${JSON.stringify(name)}:${textOf((value as Readonly<Record<string, unknown>>)[name])},`;
  return `${text}}`;
}
