/** Controls, line separators, marks that reverse the direction of the text, and halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Text that a terminal may be given: whatever could move its cursor, colour it or reorder it is shown as its code
 * point, but for what is allowed.
 */
export function printable(text: string, allowed = ''): string {
  return text.replace(unprintable, (character) =>
    allowed.includes(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
