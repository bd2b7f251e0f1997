import fc from 'fast-check';
import { chunk, chunkedCoding, createChunked, lastChunk, pieces } from './chunked.js';
import {
  bodyBytesMax,
  bytes,
  create,
  crlf,
  digits,
  type Family,
  get,
  host,
  json,
  key,
  letters,
  malformed,
  message,
  post,
  rejected,
  rex,
  served,
  smuggled,
  textOf,
  word,
} from './malformed-request.js';

export const bodyEnds: readonly Family[] = [
  {
    rule: 'a truncated body creates no pet',
    requests: fc.oneof(
      fc
        .integer({ min: 1, max: create(rex).length - 1 })
        .map((length) => ({ ...malformed(create(rex).slice(0, length)), isCut: true })),
      fc.tuple(pieces, fc.integer({ min: 1, max: 20 })).map(([parts, missing]) => ({
        ...malformed(createChunked(`${parts.map((part) => chunk(part)).join('')}${lastChunk}`).slice(0, -missing)),
        isCut: true,
      })),
    ),
  },
  {
    rule: 'a body that is too long, by its Content-Length or by its chunks, returns 413 at once',
    requests: fc.oneof(
      fc
        .tuple(
          fc.bigInt({ min: BigInt(bodyBytesMax) + 1n, max: 2n ** 64n - 1n }),
          textOf(bytes(0, 0xff), { maxLength: 40 }),
        )
        .map(([length, start]) => ({
          ...rejected(post([json, `Content-Length: ${String(length)}`], start), '413 body_too_large'),
          isUnfinished: true,
        })),
      fc
        // So long that it cannot have arrived completely when it is rejected.
        .integer({ min: 200_000, max: 300_000 })
        .map((more) =>
          rejected(
            createChunked(`${chunk(rex.padEnd(bodyBytesMax))}${chunk(' '.repeat(more))}${lastChunk}`),
            '413 body_too_large',
          ),
        ),
    ),
  },
  {
    rule: 'the body of an operation without a request body is discarded',
    requests: fc
      .tuple(textOf(bytes(0, 0xff), { minLength: 1, maxLength: 60 }), fc.boolean())
      .map(([body, isChunked]) => ({
        ...served(
          'GET /v1/pets',
          isChunked
            ? `${get('/v1/pets', chunkedCoding)}${chunk(body)}${lastChunk}`
            : `${get('/v1/pets', `Content-Length: ${String(body.length)}`)}${body}`,
          '200',
        ),
        // If chunks are still to come, the connection is closed.
        isWhole: isChunked,
      })),
  },
  {
    rule: 'a malformed chunked body is rejected, also for an operation without a request body',
    requests: fc
      .tuple(fc.constantFrom('GET', 'OPTIONS', 'DELETE', 'TRACE'), fc.constantFrom('g', '1', '-1', '1;', ''), word)
      .map(([method, size, text]) => ({
        ...malformed(
          `${message([`${method} /v1/pets HTTP/1.1`, host, key, chunkedCoding])}${size}${crlf}${text}${smuggled}`,
        ),
        operation: `${method} /v1/pets`,
        // If the response was sent before the error arrived, it is the last one.
        isWhole: true,
      })),
  },
  {
    rule: 'a request inside a body is not served',
    requests: fc.tuple(textOf(`${digits}${letters}`, { maxLength: 20 }), fc.nat(2)).map(([text, kind]) => {
      const body = `${text}${crlf}${crlf}${smuggled}`;
      if (kind === 0) return served('POST /v1/pets', create(body), '400 malformed_json');
      if (kind === 1) return served('POST /v1/pets', createChunked(`${chunk(body)}${lastChunk}`), '400 malformed_json');
      return served('GET /v1/pets', `${get('/v1/pets', `Content-Length: ${String(body.length)}`)}${body}`, '200');
    }),
  },
];
