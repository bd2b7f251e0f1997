/** Control characters, line separators, marks of text direction, and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/**
 * What GitHub Actions or Azure Pipelines read as a command, such as `::error::` at the beginning of a line, and
 * `##[group]` or `##vso[task.complete]` anywhere in it.
 */
const command = /(?<=^[^\S\n]*):(?=:)|(?<=#)#(?=(?:vso)?\[)/gm;

/**
 * Makes text safe for a terminal and for the log of a workflow: escapes, as JSON does (RFC 8259, section 7), every
 * character that could move the cursor, change colours or reorder text, except for the allowed one, and each command.
 * JSON stays JSON with the same values.
 */
export function printable(text: string, allowed?: '\n'): string {
  return text
    .replace(unprintable, (character) => (character === allowed ? character : escape(character)))
    .replace(command, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
