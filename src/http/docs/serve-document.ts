import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { sendResponse } from '../send-response.js';

export type Read = () => Promise<Uint8Array> | Uint8Array;

interface Representation {
  readonly bytes: Uint8Array;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** Caches revalidate the document before each use. */
const cacheControl = 'no-cache';

/**
 * Serves a document from memory, with a strong ETag for each content coding.
 *
 * @param read is called for the first request, and again after it has failed: startup does not wait for it.
 * @param encodings the compressed forms of the document by their content coding, the preferred one first; read when the
 * first client accepts the coding.
 */
export function serveDocument(
  mediaType: string,
  read: Read,
  encodings: Readonly<Record<string, Read>> = {},
): RequestHandler {
  const plain = memoize(read);
  const encoded = Object.entries(encodings).map(([coding, read]) => [coding, memoize(read)] as const);
  return async (request, response) => {
    const [coding, representation] = encoded.find(([each]) => request.acceptsEncodings(each, 'identity') === each) ?? [
      undefined,
      plain,
    ];
    const { bytes, etag } = await representation();
    response.set('ETag', etag);
    if (encoded.length > 0) response.vary('Accept-Encoding');
    const headers = coding === undefined ? undefined : { 'Content-Encoding': coding };
    // Express compares the ETag with `If-None-Match`.
    if (request.fresh) sendResponse(response, { status: 304, cacheControl });
    else sendResponse(response, { status: 200, headers, body: bytes, mediaType, cacheControl });
  };
}

/** Reads the document once, and again only after that has failed. */
function memoize(read: Read): () => Promise<Representation> {
  let reading: Promise<Representation> | undefined;
  const readOnce = async () => {
    const bytes = await read();
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
  };
  return () => {
    reading ??= readOnce().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}
