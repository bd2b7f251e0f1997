import fc from 'fast-check';

/**
 * What a client might send that no HTTP library would, or at least no client of this service, and what has to come of
 * it.
 */
export interface MalformedRequest {
  /** One character per byte; `keyMark` stands for a good key. */
  readonly bytes: string;
  /**
   * What may be answered: `400 malformed_http`, or the status alone where it is no error. Nothing at all, if there is
   * none.
   */
  readonly responses: readonly string[];
  /** Whether the connection goes on after it. */
  readonly keepsAlive: boolean;
  /**
   * The operation whose answer it is, `GET /v1/pets` if nothing is said; the answer to a fault of the wire belongs to
   * none.
   */
  readonly operation?: string;
  /** Whether it is cut off by the end of the connection. */
  readonly isCut?: boolean;
  /** Whether more of it would have to follow: the client does not close its side. */
  readonly isUnfinished?: boolean;
  /** Whether it may only be sent in one piece: what the answer is depends on how it arrives. */
  readonly isWhole?: boolean;
  /** Whether 100 Continue comes before the answer. */
  readonly isContinued?: boolean;
}

/** Requests that are odd in one way, and the rule that holds for all of them. */
export interface Family {
  readonly rule: string;
  readonly requests: fc.Arbitrary<MalformedRequest>;
}

export const crlf = '\r\n';
export const host = 'Host: pets.example';
/** Stands for a good key, and is as long as one. */
export const keyMark = '<key>'.padEnd(46, '~');
export const key = `Authorization: Bearer ${keyMark}`;
export const json = 'Content-Type: application/json';
/** What the body of a creation may have, in bytes. */
export const bodyBytesMax = 65_536;
export const rex = '{"name":"Rex","categoryId":7}';

/** A message of these lines, with the body after the empty one. */
export function message(lines: readonly string[], body = ''): string {
  return `${lines.join(crlf)}${crlf}${crlf}${body}`;
}

export function get(target = '/v1/pets', ...lines: readonly string[]): string {
  return message([`GET ${target} HTTP/1.1`, host, key, ...lines]);
}

/** A creation; the lines have to frame the body. */
export function post(lines: readonly string[], body = ''): string {
  return message(['POST /v1/pets HTTP/1.1', host, key, ...lines], body);
}

/** A creation with a body of a known length. */
export function create(body: string, ...lines: readonly string[]): string {
  return post([...(lines.length === 0 ? [json] : lines), `Content-Length: ${String(body.length)}`], body);
}

/** What must not be served: a creation that no client asked for in its own right. */
export const smuggled = create('{"name":"Smuggled","categoryId":7,"status":"sold"}');

/** A request that is refused, and its connection closed. */
export function rejected(bytes: string, ...responses: readonly string[]): MalformedRequest {
  return { bytes, responses: responses, keepsAlive: false, operation: bytes.split(' ', 2).join(' ') };
}

export function malformed(bytes: string): MalformedRequest {
  return rejected(bytes, '400 malformed_http');
}

/** A request that is answered like any other, be it with an error. */
export function served(call: string, bytes: string, ...responses: readonly string[]): MalformedRequest {
  return { bytes, responses: responses, keepsAlive: true, operation: call };
}

/** One character per byte of the text in UTF-8. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** One of these characters. */
export function characterOf(characters: string): fc.Arbitrary<string> {
  return fc.constantFrom(...Array.from(characters));
}

/** Text of these characters. */
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
/** What a header name or a method consists of (RFC 9110, section 5.6.2). */
export const tokenCharacters = `${letters}${digits}!#$%&'*+-.^_\`|~`;
/** What may stand in no line of a request. */
export const controls = `${bytes(0, 8)}\v\f${bytes(0x0e, 0x1f)}\x7f`;
export const notAscii = bytes(0x80, 0xff);
