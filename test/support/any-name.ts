import fc from 'fast-check';

/**
 * Any Unicode that a store may be asked to keep: all but U+0000, which the contract refuses and PostgreSQL has no room
 * for.
 */
export function anyName(lengthMax: number): fc.Arbitrary<string> {
  return fc
    .string({ unit: 'binary', minLength: 1, maxLength: lengthMax })
    .map((name) => name.replaceAll('\u0000', '\u0001'));
}
