/** Maximum length of the result of `sanitize`, and of the input that is read: redaction makes text shorter. */
const shownMax = 200;
const readMax = 1000;
/** The characters of a truncated key that it is recognized by: more than an id has after its prefix. */
const secretLengthMin = 16;
/** Maximum number of nested percent-encodings in which a key is found. */
const encodingsMax = 5;

/** Removes API keys from text that may contain one, before it is sent, logged or exported. */
export class KeyRedactor {
  private readonly keys: RegExp;

  /** @param prefixes those of the API keys; none if the service has no API keys. */
  constructor(prefixes: readonly string[]) {
    const escaped = prefixes.map((prefix) => prefix.replace(/[^0-9A-Za-z]/g, '\\$&'));
    const any = escaped.length === 0 ? '(?!)' : escaped.join('|');
    this.keys = new RegExp(`(${any})[0-9A-Za-z]{${String(secretLengthMin)},}`, 'g');
  }

  /** Replaces each key by its prefix and an ellipsis. */
  redact(text: string): string {
    return text.replace(this.keys, '$1…');
  }

  /** Whether text of a client contains a key, even a percent-encoded one. */
  private containsKey(text: string): boolean {
    const decoded = decode(text, encodingsMax);
    return this.redact(decoded) !== decoded;
  }

  /** Makes text of a client safe for the log: printable, short, and without keys, even percent-encoded ones. */
  sanitize(text: string): string {
    const head = text.slice(0, readMax);
    const shown = this.redact(encode(this.containsKey(head) ? decode(head, encodingsMax) : head));
    return shown.length > shownMax ? `${shown.slice(0, shownMax - 1)}…` : shown;
  }
}

function decode(text: string, times: number): string {
  const decoded = text.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
  return decoded === text || times === 1 ? decoded : decode(decoded, times - 1);
}

/** Node reads a request as Latin-1: each character is a byte. */
function encode(text: string): string {
  return text.replace(/[^\x21-\x7E]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
