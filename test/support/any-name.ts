import fc from 'fast-check';

/**
 * Any Unicode text that a store must preserve: all but U+0000, which the contract rejects and PostgreSQL cannot store.
 */
export function anyName(lengthMax: number): fc.Arbitrary<string> {
  return fc
    .string({ unit: 'binary', minLength: 1, maxLength: lengthMax })
    .map((name) => name.replaceAll('\u0000', '\u0001'));
}
