import fc from 'fast-check';

/**
 * A request that no HTTP library or client of this service would send, and the allowed responses.
 */
export interface MalformedRequest {
  /** One character per byte. `keyMark` is replaced by a valid key. */
  readonly bytes: string;
  /**
   * The allowed responses: `400 malformed_http`, or only the status if it is not an error.
   */
  readonly responses: readonly string[];
  /** Whether the connection stays open afterwards. */
  readonly keepsAlive: boolean;
  /**
   * The operation that returns the response, by default `GET /v1/pets`. Responses to malformed HTTP belong to none.
   */
  readonly operation?: string;
  /** Whether the client closes its side before the request is complete. */
  readonly isCut?: boolean;
  /** Whether it is incomplete, and the client does not close its side. */
  readonly isUnfinished?: boolean;
  /** Whether it must be sent in one piece, because the response depends on how it arrives. */
  readonly isWhole?: boolean;
  /** Whether 100 Continue is sent before the response. */
  readonly isContinued?: boolean;
}

/** Requests of one kind, and the rule that defines their responses. */
export interface Family {
  readonly rule: string;
  readonly requests: fc.Arbitrary<MalformedRequest>;
}

export const crlf = '\r\n';
export const host = 'Host: pets.example';
/** A placeholder for a valid key, of the same length. */
export const keyMark = '<key>'.padEnd(46, '~');
export const key = `Authorization: Bearer ${keyMark}`;
export const json = 'Content-Type: application/json';
/** Maximum length of the body of a creation, in bytes. */
export const bodyBytesMax = 65_536;
export const rex = '{"name":"Rex","categoryId":7}';

/** A message with these header lines and this body. */
export function message(lines: readonly string[], body = ''): string {
  return `${lines.join(crlf)}${crlf}${crlf}${body}`;
}

export function get(target = '/v1/pets', ...lines: readonly string[]): string {
  return message([`GET ${target} HTTP/1.1`, host, key, ...lines]);
}

/** A creation; the lines must define the length of the body. */
export function post(lines: readonly string[], body = ''): string {
  return message(['POST /v1/pets HTTP/1.1', host, key, ...lines], body);
}

/** A creation with a body of a known length. */
export function create(body: string, ...lines: readonly string[]): string {
  return post([...(lines.length === 0 ? [json] : lines), `Content-Length: ${String(body.length)}`], body);
}

/** A creation that must never be served. */
export const smuggled = create('{"name":"Smuggled","categoryId":7,"status":"sold"}');

/** A request that is rejected, after which the connection is closed. */
export function rejected(bytes: string, ...responses: readonly string[]): MalformedRequest {
  return { bytes, responses, keepsAlive: false, operation: bytes.split(' ', 2).join(' ') };
}

export function malformed(bytes: string): MalformedRequest {
  return rejected(bytes, '400 malformed_http');
}

/** A request that is served, with success or an error, after which the connection stays open. */
export function served(operation: string, bytes: string, ...responses: readonly string[]): MalformedRequest {
  return { bytes, responses, keepsAlive: true, operation };
}

/** One character per byte of the text in UTF-8. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Generates one of these characters. */
export function characterOf(characters: string): fc.Arbitrary<string> {
  return fc.constantFrom(...Array.from(characters));
}

/** Generates text of these characters. */
export function textOf(
  characters: string,
  length: { readonly minLength?: number; readonly maxLength?: number },
): fc.Arbitrary<string> {
  return fc.array(characterOf(characters), length).map((chosen) => chosen.join(''));
}

/** Every byte from one to another, as characters. */
export function bytes(first: number, last: number): string {
  return String.fromCharCode(...Array.from({ length: last - first + 1 }, (_, offset) => first + offset));
}

export const digits = bytes(0x30, 0x39);
export const letters = `${bytes(0x41, 0x5a)}${bytes(0x61, 0x7a)}`;
export const word = textOf(letters, { minLength: 1, maxLength: 12 });
/** The characters of header names and methods (RFC 9110, section 5.6.2). */
export const tokenCharacters = `${letters}${digits}!#$%&'*+-.^_\`|~`;
/** Characters that no line of a request may contain. */
export const controls = `${bytes(0, 8)}\v\f${bytes(0x0e, 0x1f)}\x7f`;
export const notAscii = bytes(0x80, 0xff);
