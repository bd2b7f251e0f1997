import fc from 'fast-check';

/** Any JSON value whose numbers `JSON.parse` reads as exactly as the service. Text has any code points. */
const text = fc.string({ unit: 'binary', maxLength: 12 });
export const name = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString', '', '0'));
export const leaves = [fc.constant(null), fc.boolean(), fc.maxSafeInteger(), text];
export const jsonValue = fc.anything({ values: leaves, key: name, maxDepth: 4, maxKeys: 6 });

/**
 * Any Unicode text that a store must preserve: all but U+0000, which the contract rejects and PostgreSQL cannot store.
 */
export function anyName(lengthMax: number): fc.Arbitrary<string> {
  return fc
    .string({ unit: 'binary', minLength: 1, maxLength: lengthMax })
    .map((name) => name.replaceAll('\u0000', '\u0001'));
}
