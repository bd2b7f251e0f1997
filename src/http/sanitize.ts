import type { KeyRedactor } from '../api-keys/key-redactor.js';

/** Maximum length of the result, and of the input that is read: redaction makes text shorter. */
const shownMax = 200;
const readMax = 1000;
/** Maximum number of nested percent-encodings in which a key is found. */
const encodingsMax = 5;

/** Makes text of a client safe for the log: printable, short, and without API keys, even percent-encoded ones. */
export function sanitize(text: string, redactor: KeyRedactor): string {
  const head = text.slice(0, readMax);
  const shown = redactor.redact(encode(containsKey(head, redactor) ? decode(head, encodingsMax) : head));
  return shown.length > shownMax ? `${shown.slice(0, shownMax - 1)}…` : shown;
}

/** Whether text of a client contains an API key, even a percent-encoded one. */
export function containsKey(text: string, redactor: KeyRedactor): boolean {
  const decoded = decode(text, encodingsMax);
  return redactor.redact(decoded) !== decoded;
}

function decode(text: string, times: number): string {
  const decoded = text.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
  return decoded === text || times === 1 ? decoded : decode(decoded, times - 1);
}

/** Node reads a request as Latin-1: each character is a byte. */
function encode(text: string): string {
  return text.replace(/[^\x21-\x7E]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
