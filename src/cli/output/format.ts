/** Control characters, line separators, marks of text direction, and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Makes text safe for a terminal: escapes every character that could move the cursor, change colours or reorder text,
 * except for the allowed ones.
 */
export function printable(text: string, allowed = ''): string {
  return text.replace(unprintable, (character) =>
    allowed.includes(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** `10,000`, or `-` for `null`. */
export function formatCount(count: number | null): string {
  return count === null ? '-' : count.toLocaleString('en-US');
}

/** `1 pet`, `10,000 pets` */
export function countOf(count: number, noun: 'pet' | 'key' | 'migration'): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** An ISO 8601 time shortened to seconds, or `never` for `null`. */
export function formatTime(time: string | null): string {
  return time === null ? 'never' : `${time.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`;
}
