/**
 * Makes text of a contract, an option or a client sendable in a header. Node.js refuses line breaks and characters
 * beyond Latin-1, and recipients read those beyond ASCII as they like (RFC 9110, section 5.5).
 */

/**
 * The text in printable ASCII, for readers: accents are omitted, dashes, quotation marks and line breaks are replaced,
 * and anything else is `?`. Printable ASCII is unchanged.
 */
export function asciiText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .replace(/[\p{Pi}\p{Pf}]/gu, "'")
    .replace(/[^\S ]+/g, ' ')
    .replace(/[^ -~]+/g, '?');
}

/** The text as a quoted string in ASCII (RFC 9110, section 5.6.4). */
export function quotedString(text: string): string {
  return `"${asciiText(text).replace(/["\\]/g, '\\$&')}"`;
}

/** Whether the text is a token (RFC 9110, section 5.6.2), such as the name of a header. */
export function isToken(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

/**
 * The text of a path, or of a URL with a path only, as a URL parser sends it: what it cannot contain is percent-encoded
 * in UTF-8 (URL standard, section 1.3). What is percent-encoded stays so.
 */
export function pathText(text: string): string {
  return text.toWellFormed().replace(/[^!-~]+|["#<>?\\`{}]/g, encodeURIComponent);
}
