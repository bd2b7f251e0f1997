import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { requireContext } from '../request-context.js';
import { sendResponse } from '../send-response.js';

export type Read = () => Promise<Uint8Array> | Uint8Array;

interface Representation {
  readonly bytes: Uint8Array;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** Caches revalidate the document before each use. */
const revalidate = 'no-cache';
/** For a URL that contains the version of the document. */
const immutable = 'public, max-age=31536000, immutable';

/** A document that is read once for each content coding, and served from memory, with a strong ETag for each. */
export class ServedDocument {
  private readonly plain: () => Promise<Representation>;
  private readonly encoded: readonly (readonly [coding: string, () => Promise<Representation>])[];

  /**
   * @param read is called for the first request, and again after it has failed: startup does not wait for it.
   * @param encodings the compressed forms of the document by their content coding, the preferred one first; read when
   * the first client accepts the coding.
   */
  constructor(
    private readonly mediaType: string,
    read: Read,
    encodings: Readonly<Record<string, Read>>,
  ) {
    this.plain = memoize(read);
    this.encoded = Object.entries(encodings).map(([coding, readEncoded]) => [coding, memoize(readEncoded)]);
  }

  /** The query that makes a URL of the document immutable. */
  async version(): Promise<string> {
    const [, representation] = this.encoded[0] ?? ['identity', this.plain];
    return `v=${(await representation()).etag.slice(1, 13)}`;
  }

  readonly send: RequestHandler = async (request, response) => {
    const isAccepted = ([coding]: readonly [string, unknown]) =>
      request.acceptsEncodings(coding, 'identity') === coding;
    const [coding, representation] = this.encoded.find(isAccepted) ?? [undefined, this.plain];
    const { bytes, etag } = await representation();
    response.set('ETag', etag);
    if (this.encoded.length > 0) response.vary('Accept-Encoding');
    const { query } = requireContext(request);
    const cacheControl = query !== '' && query === (await this.version()) ? immutable : revalidate;
    // Express compares the ETag with `If-None-Match`.
    if (request.fresh) {
      sendResponse(response, { status: 304, cacheControl });
      return;
    }
    const headers = coding === undefined ? undefined : { 'Content-Encoding': coding };
    sendResponse(response, { status: 200, headers, body: bytes, mediaType: this.mediaType, cacheControl });
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
