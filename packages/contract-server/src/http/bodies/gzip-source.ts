import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { invalidBody } from '@contract-server/core/bodies/body-text.js';

/** RFC 9110, section 8.4.1.3. */
const gzip = /^(?:x-)?gzip$/i;

export function isGzip(contentEncoding = ''): boolean {
  return gzip.test(contentEncoding);
}

/**
 * The decompressed bytes of a request. Its reader limits them; bytes that decompress to nothing have a limit here.
 *
 * @param fail is called with ApiError `invalid_request` if the body is not gzip, or without one for too many bytes.
 */
export function gunzip(request: IncomingMessage, bytesMax: number, fail: (error?: Error) => void): Readable {
  const source = createGunzip();
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) fail();
  });
  source.on('error', () => fail(invalidBody('is not valid gzip.')));
  // Bytes behind the end of the compressed ones are discarded, as is the rest of a rejected body.
  source.once('close', () => request.unpipe(source).resume());
  return request.pipe(source);
}
