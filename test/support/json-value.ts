import fc from 'fast-check';

/** Any JSON value whose numbers `JSON.parse` reads as exactly as the service. Text has any code points. */
const text = fc.string({ unit: 'binary', maxLength: 12 });
export const name = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString', '', '0'));
export const leaves = [fc.constant(null), fc.boolean(), fc.maxSafeInteger(), text];
export const jsonValue = fc.anything({ values: leaves, key: name, maxDepth: 4, maxKeys: 6 });
