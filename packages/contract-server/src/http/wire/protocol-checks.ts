import type { IncomingMessage } from 'node:http';
import { ApiError } from '@contract-server/core/lib/errors.js';

/** Limits on the parts of a request. */
const targetBytesMax = 8000;
const headerBytesMax = 16_384;
export const headerLinesMax = 100;

/** Headers that must not be repeated: some recipients use the first one and others the last. */
const singleHeaders = ['Host', 'Authorization', 'Content-Type'];
/** The bytes of a header line besides its name and its value: a colon, a space, and CR LF. */
const headerOverheadBytes = 4;
/** An optional host and port (RFC 9112, section 3.2; RFC 3986, section 3.2.2), without commas, which join two hosts. */
const authority = /^(?:\[[0-9A-Fa-f:.]+\]|(?:[\w.~!$&'()*+;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;

/** The error for the first rule of HTTP that a request breaks and that Node's parser does not check. */
export function findProtocolError(request: IncomingMessage): ApiError | undefined {
  return (
    versionError(request) ??
    sizeError(request) ??
    targetError(request.url ?? '') ??
    headersError(request) ??
    codingError(request) ??
    expectationError(request)
  );
}

function malformed(what: string): ApiError {
  return new ApiError('malformed_http', `The request is not valid HTTP/1.1: ${what}.`);
}

/** Also for a request target that Node's parser does not read to its end, because it counts it with the headers. */
function headersTooLarge(): ApiError {
  const limits = `${String(headerLinesMax)} lines or ${String(headerBytesMax)} bytes`;
  const message = `The headers exceed ${limits}, or the request target is far too long. Shorten them.`;
  return new ApiError('headers_too_large', message);
}

/** Node's parser also accepts HTTP/0.9 and HTTP/2.0. */
function versionError({ httpVersionMajor }: IncomingMessage): ApiError | undefined {
  return httpVersionMajor === 1 ? undefined : malformed('only HTTP/1.1 and HTTP/1.0 are supported');
}

function sizeError({ url = '', rawHeaders }: IncomingMessage): ApiError | undefined {
  if (url.length > targetBytesMax) {
    const message = `The request target exceeds ${String(targetBytesMax)} bytes. Send fewer or shorter query parameters.`;
    return new ApiError('uri_too_long', message);
  }
  // Node 20 drops header lines beyond its limit, and later versions report an overflow. The limit is one line higher.
  if (rawHeaders.length / 2 > headerLinesMax) return headersTooLarge();
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length + headerOverheadBytes / 2;
  return bytes > headerBytesMax ? headersTooLarge() : undefined;
}

/**
 * Checks the forms of RFC 9112, section 3.2. Node checks targets that start with a slash or an asterisk, but not their
 * fragments.
 */
function targetError(target: string): ApiError | undefined {
  if (target.includes('#')) return malformed('the request target has a fragment');
  const [absolute, host = ''] = /^(?:https?:\/\/([^/?]*)|[^/*])/i.exec(target) ?? [];
  if (absolute === undefined || (/^[^:]/.test(host) && authority.test(host))) return undefined;
  return malformed('the request target has no valid host, or its scheme is not http or https');
}

function headersError({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): ApiError | undefined {
  const repeated = singleHeaders.find((name) => isRepeated(name, rawHeaders));
  if (repeated !== undefined) return malformed(`the header ${repeated} is repeated`);
  const { host } = headers;
  if (host === undefined) return httpVersionMinor === 0 ? undefined : malformed('the header Host is missing');
  return authority.test(host) ? undefined : malformed('the header Host is invalid');
}

/** Whether a name, in any case, occurs twice in raw headers. Comparing the lengths first is faster. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? '';
    if (header.length === name.length && header.toLowerCase() === name.toLowerCase()) count += 1;
  }
  return count > 1;
}

/**
 * Checks Transfer-Encoding. If chunked is the last coding, the end of the body is defined, and any other coding is not
 * supported. Otherwise, and in HTTP/1.0, the end of the request is undefined (RFC 9112, sections 6.1 and 6.3).
 */
function codingError({ headers, httpVersionMinor }: IncomingMessage): ApiError | undefined {
  const codings = headers['transfer-encoding']?.toLowerCase();
  if (codings === undefined) return undefined;
  if (httpVersionMinor === 0) return malformed('HTTP/1.0 does not support Transfer-Encoding');
  if (codings === 'chunked') return undefined;
  return codings.split(',').at(-1)?.trim() === 'chunked'
    ? new ApiError('not_implemented', 'Only the transfer coding chunked is supported, applied once.')
    : malformed('the last transfer coding is not chunked');
}

function expectationError(request: IncomingMessage): ApiError | undefined {
  if (!expectsContinue(request) || request.headers.expect?.toLowerCase() === '100-continue') return undefined;
  return new ApiError('expectation_failed', 'Only Expect: 100-continue is supported.');
}

/**
 * Whether a request expects 100 Continue before it sends the body (RFC 9110, section 10.1.1), which HTTP/1.0 does not
 * define. Any other expectation counts too, until `expectationError` has rejected it.
 */
export function expectsContinue({ headers: { expect }, httpVersionMinor }: IncomingMessage): boolean {
  return expect !== undefined && httpVersionMinor > 0;
}

/** Whether a request has a body (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The value of `Content-Length` in bytes; `NaN` if there is none. */
export function contentLengthOf({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : NaN;
}

/** The error for a request that Node's parser (llhttp) rejects, or that does not arrive in time. */
export function parserApiError({ code }: Partial<NodeJS.ErrnoException>): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('request_timeout', 'The request was not received in time. Send it again.');
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  return new ApiError('malformed_http', 'The request is not valid HTTP/1.1. Send it with an HTTP library.');
}
