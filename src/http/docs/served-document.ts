import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request } from 'express';
import type { HttpResponse, RequestContext } from '../request-context.js';
import type { Resource } from '../routes.js';

export interface DocumentParts {
  readonly mediaType: string;
  /** Asked when somebody wants the document for the first time, and until it succeeds: a start does not wait for it. */
  readonly read: () => Promise<Uint8Array> | Uint8Array;
  /** Whether it is worth compressing for those who take it so. */
  readonly isCompressed: boolean;
  /** Added to the answer, also where that says that the reader has the document already. */
  readonly addHeaders: (context: RequestContext) => void;
  readonly optionsHeaders?: Readonly<Record<string, string>>;
}

interface Content {
  readonly bytes: Uint8Array;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

const compress = promisify(gzip);
/** A reader asks each time whether the document is still the same. */
const ifStillTheSame = 'no-cache';
/** For an address that changes with what is behind it. */
const forever = 'public, max-age=31536000, immutable';

/** What is read once, held in memory as it is and compressed, and sent from there however often it is asked for. */
export class ServedDocument implements Resource {
  readonly optionsHeaders: Readonly<Record<string, string>>;
  private readonly plain: () => Promise<Content>;
  private readonly compressed: () => Promise<Content>;

  constructor(private readonly parts: DocumentParts) {
    this.optionsHeaders = parts.optionsHeaders ?? {};
    this.plain = once(async () => contentOf(await parts.read()));
    this.compressed = once(async () => contentOf(await compress((await this.plain()).bytes)));
  }

  /** What to append to an address that is to be kept forever. */
  async version(): Promise<string> {
    return `v=${versionOf(await this.plain())}`;
  }

  readonly get = async (context: RequestContext): Promise<HttpResponse> => {
    const { mediaType, isCompressed, addHeaders } = this.parts;
    const request = context.request as Request;
    const isTakenCompressed = isCompressed && request.acceptsEncodings('gzip', 'identity') === 'gzip';
    const { bytes, etag } = await (isTakenCompressed ? this.compressed() : this.plain());
    addHeaders(context);
    context.response.setHeader('ETag', etag);
    if (isCompressed) context.response.appendHeader('Vary', 'Accept-Encoding');
    const cacheControl = context.query === (await this.version()) ? forever : ifStillTheSame;
    // Express compares the entity tag with those that the reader knows.
    if (request.fresh) return { status: 304, cacheControl };
    const headers = isTakenCompressed ? { 'Content-Encoding': 'gzip' } : undefined;
    return { status: 200, headers, body: bytes, mediaType, cacheControl };
  };
}

function contentOf(bytes: Uint8Array): Content {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

function versionOf({ etag }: Content): string {
  return etag.slice(1, 13);
}

/** Runs it when it is first asked for, and again after it has failed. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= run().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}
