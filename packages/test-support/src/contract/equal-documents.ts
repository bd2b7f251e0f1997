import { expect } from 'chai';
import { parse } from 'yaml';

/** Fails unless two texts of YAML or JSON have the same members, in the same order, and the same integers. */
export function expectEqualDocuments(text: string, expected: string): void {
  expect(contentOf(text)).to.deep.equal(contentOf(expected));
}

/** Read by a parser other than that of the library. An object is a list of its members, because order matters. */
function contentOf(text: string): unknown {
  const listed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(listed);
    // Mocha cannot report a bigint.
    if (typeof value === 'bigint') return { integer: String(value) };
    if (!(value instanceof Map)) return value;
    return { members: [...value].map(([name, member]) => [String(name), listed(member)]) };
  };
  return listed(parse(text, { intAsBigInt: true, mapAsMap: true }));
}
