import type { Stats } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * An ETag that differs after each change of a file: from its size and ctime, which programs cannot set, unlike mtime.
 * For a second after a change it is weak, because another change could have the same time; then it is strong (RFC 9110,
 * section 8.8.1).
 */
export function etagOf({ size, ctimeMs }: Pick<Stats, 'size' | 'ctimeMs'>, now: number): string {
  const tag = `"${size.toString(16)}-${ctimeMs.toString(16)}"`;
  return now - ctimeMs > 1000 ? tag : `W/${tag}`;
}

/** The value of `Last-Modified`, which is not in the future (RFC 9110, section 8.8.2.1). */
export function lastModifiedOf({ mtimeMs }: Pick<Stats, 'mtimeMs'>, now: number): string {
  return new Date(Math.min(mtimeMs, now)).toUTCString();
}

/**
 * The headers of a request for a file that the package `send` evaluates as RFC 9110 (sections 13 and 14) requires. By
 * itself, it compares the ETags of `If-Match` and `If-Range` weakly, sends ranges for HEAD, ignores `If-None-Match`
 * beside `Cache-Control: no-cache`, and refuses to send the last bytes of a file that has fewer.
 */
export function conditionsOf(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  size: number,
  etag: string,
): IncomingHttpHeaders {
  const strongETag = etag.startsWith('W/') ? undefined : etag;
  const { range, 'if-range': ifRange, 'if-match': ifMatch } = headers;
  // A time covers a second, in which the file may have changed twice.
  const isRange = method === 'GET' && (ifRange === undefined || ifRange === strongETag);
  return {
    'if-match': ifMatch && matchOf(ifMatch, strongETag),
    'if-unmodified-since': headers['if-unmodified-since'],
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
    range: isRange ? rangeOf(range, size) : undefined,
  };
}

/** An ETag that no file has. */
const noETag = '""';

/** Rewrites `If-Match` so that the weak comparison of `send` has the result of a strong one. */
function matchOf(sent: string, strongETag: string | undefined): string {
  const tags = sent.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return sent.trim() === '*' || tags.some((tag) => tag === strongETag) ? '*' : noETag;
}

/** One range of bytes, as `send` reads it; `undefined` for any other, which is ignored (RFC 9110, section 14.2). */
function rangeOf(sent = '', size: number): string | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(sent) ?? [];
  if (first === undefined || last === undefined) return undefined;
  if (first === '') return lastBytesOf(last, size);
  return last === '' || Number(first) <= Number(last) ? `bytes=${first}-${last}` : undefined;
}

/** The last bytes of a shorter file are all of it (RFC 9110, section 14.1.2); `send` refuses ranges of an empty one. */
function lastBytesOf(length: string, size: number): string | undefined {
  if (length === '') return undefined;
  if (Number(length) <= size) return `bytes=-${length}`;
  return size === 0 ? undefined : 'bytes=0-';
}
