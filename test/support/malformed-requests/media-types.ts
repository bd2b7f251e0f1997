import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  create,
  type Family,
  json,
  letters,
  notAscii,
  rejected,
  rex,
  served,
  textOf,
  word,
} from './malformed-request.js';

export const mediaTypes: readonly Family[] = [
  {
    rule: 'a body with another Content-Type than JSON returns 415',
    requests: fc
      .oneof(
        fc.constantFrom(
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
          'text/json',
          'application/xml',
          '*/*',
          'application/*',
          'application/json-patch+json',
          'application/jsonx',
          'json',
          '',
          ';',
          'application/json; charset=iso-8859-1',
          'application/json; charset=utf-16',
          'application/json;charset=',
          'application/json, text/plain',
          'application / json',
          '\xff',
        ),
        textOf(`${letters}/;=,"' ${notAscii}`, { maxLength: 30 }),
      )
      .filter((type) => !/^application\/json *(;|$)/i.test(type) || /charset/.test(type))
      .chain((type) =>
        word.map((name) =>
          served('POST /v1/pets', create(rex, `Content-Type: ${type}`, `X-Odd: ${name}`), '415 unsupported_media_type'),
        ),
      ),
  },
  {
    rule: 'a compressed body returns 415, whatever its uncompressed size',
    requests: fc
      .tuple(
        fc.constantFrom(
          'gzip',
          'GZIP',
          'deflate',
          'br',
          'zstd',
          'compress',
          'x-gzip',
          'identity, gzip',
          'gzip, gzip',
          '*',
          '\xff',
        ),
        fc.nat(2_000_000),
        fc.boolean(),
      )
      .map(([coding, length, isGzip]) => {
        const plain = Buffer.alloc(length, ' ');
        const body = (isGzip ? gzipSync(plain) : deflateSync(plain)).toString('latin1');
        return served('POST /v1/pets', create(body, json, `Content-Encoding: ${coding}`), '415 unsupported_media_type');
      }),
  },
  {
    rule: 'the connection is closed after a long body that is rejected unread',
    requests: fc
      .tuple(
        fc.integer({ min: 300_000, max: 400_000 }),
        fc.constantFrom('text/plain', 'application/json; charset=latin1'),
      )
      .map(([length, type]) =>
        rejected(create('x'.repeat(length), `Content-Type: ${type}`), '415 unsupported_media_type'),
      ),
  },
];
