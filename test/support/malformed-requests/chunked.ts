import fc from 'fast-check';
import { crlf, json, post, rex } from './malformed-request.js';

export const chunkedCoding = 'Transfer-Encoding: chunked';

export function chunk(text: string, size = text.length.toString(16), extension = ''): string {
  return `${size}${extension}${crlf}${text}${crlf}`;
}

export const lastChunk = chunk('');

/** A creation with this body, which includes the chunk sizes. */
export function createChunked(body: string, ...lines: readonly string[]): string {
  return post([json, chunkedCoding, ...lines], body);
}

/** The body of a creation, split into pieces of any length. */
export const pieces: fc.Arbitrary<string[]> = fc
  .array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 10 })
  .map((lengths) => {
    const parts: string[] = [];
    let rest = rex;
    for (const length of lengths) {
      parts.push(rest.slice(0, length));
      rest = rest.slice(length);
    }
    return [...parts, rest].filter((part) => part !== '');
  });
