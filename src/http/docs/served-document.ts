import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { requestContextOf } from '../request-context.js';
import { sendResponse } from '../send-response.js';

export interface ServedDocumentOptions {
  readonly mediaType: string;
  /** Called for the first request, and again after it has failed: startup does not wait for it. */
  readonly read: () => Promise<Uint8Array> | Uint8Array;
  /** Whether clients that accept gzip receive the document compressed. */
  readonly isCompressed: boolean;
}

interface Representation {
  readonly bytes: Uint8Array;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

const gzipAsync = promisify(gzip);
/** Caches revalidate the document before each use. */
const revalidate = 'no-cache';
/** For a URL that contains the version of the document. */
const immutable = 'public, max-age=31536000, immutable';

/** A document that is read and compressed once, and served from memory, with a strong ETag for each representation. */
export class ServedDocument {
  private readonly plain: () => Promise<Representation>;
  private readonly compressed: () => Promise<Representation>;

  constructor(private readonly options: ServedDocumentOptions) {
    this.plain = memoize(async () => representationOf(await options.read()));
    this.compressed = memoize(async () => representationOf(await gzipAsync((await this.plain()).bytes)));
  }

  /** The query that makes a URL of the document immutable. */
  async version(): Promise<string> {
    return `v=${(await this.plain()).etag.slice(1, 13)}`;
  }

  readonly send: RequestHandler = async (request, response) => {
    const { mediaType, isCompressed } = this.options;
    const acceptsGzip = isCompressed && request.acceptsEncodings('gzip', 'identity') === 'gzip';
    const { bytes, etag } = await (acceptsGzip ? this.compressed() : this.plain());
    response.set('ETag', etag);
    if (isCompressed) response.vary('Accept-Encoding');
    const cacheControl = requestContextOf(request).query === (await this.version()) ? immutable : revalidate;
    // Express compares the ETag with `If-None-Match`.
    if (request.fresh) {
      sendResponse(response, { status: 304, cacheControl });
      return;
    }
    const headers = acceptsGzip ? { 'Content-Encoding': 'gzip' } : undefined;
    sendResponse(response, { status: 200, headers, body: bytes, mediaType, cacheControl });
  };
}

function representationOf(bytes: Uint8Array): Representation {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/** Runs a function once, and again only after it has failed. */
function memoize<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= run().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}
