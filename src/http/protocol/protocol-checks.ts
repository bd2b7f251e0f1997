import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../openapi/api-error.js';
import type { RequestLimits } from '../../openapi/document.js';

/** Headers that mean something else to whoever takes the first of two than to whoever takes the last. */
const singleHeaders = ['Host', 'Authorization', 'Content-Type'];
/** What a header has on the wire beside its name and its value: a colon, a blank and the end of the line, in bytes. */
const headerFrameBytes = 4;
/**
 * A host, which may be absent, and a port (RFC 9112, section 3.2; RFC 3986, section 3.2.2), without commas, which join
 * two of them.
 */
const authority = /^(?:\[[0-9A-Fa-f:.]+\]|(?:[\w.~!$&'()*+;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;

/** The rules of HTTP that Node's parser does not hold requests to, and the bounds of the contract. */
export class ProtocolChecks {
  constructor(private readonly limits: RequestLimits) {}

  /** The first rule that a request breaks; `undefined` for a proper one. */
  findError(request: IncomingMessage): ApiError | undefined {
    return (
      versionFault(request) ??
      this.sizeFault(request) ??
      targetFault(request.url ?? '') ??
      headersFault(request) ??
      codingFault(request) ??
      expectationFault(request)
    );
  }

  private sizeFault({ url = '', rawHeaders }: IncomingMessage): ApiError | undefined {
    const { targetBytesMax, headerBytesMax, headerLinesMax } = this.limits;
    if (url.length > targetBytesMax) return targetTooLong(targetBytesMax);
    // Node 20 drops header lines beyond its limit, later releases report an overflow. One line more than allowed is
    // always there.
    if (rawHeaders.length / 2 > headerLinesMax) return headersTooLarge(this.limits);
    let bytes = 0;
    for (const text of rawHeaders) bytes += text.length + headerFrameBytes / 2;
    return bytes > headerBytesMax ? headersTooLarge(this.limits) : undefined;
  }
}

export function malformed(what: string): ApiError {
  return new ApiError('malformed_http', `The request is not valid HTTP/1.1: ${what}.`);
}

export function unsupportedVersion(): ApiError {
  return new ApiError('http_version_not_supported', 'The service speaks HTTP/1.1 and HTTP/1.0.');
}

export function targetTooLong(bytesMax: number): ApiError {
  return new ApiError('uri_too_long', `The request target may have at most ${String(bytesMax)} bytes.`);
}

/** Node's parser does not say which of both it was. */
export function headersTooLarge({ headerLinesMax, headerBytesMax }: RequestLimits): ApiError {
  const [lines, bytes] = [String(headerLinesMax), String(headerBytesMax)];
  return new ApiError('headers_too_large', `The headers may have at most ${lines} lines, and ${bytes} bytes together.`);
}

/** Whether a client waits to be told that its body is wanted (RFC 9110, section 10.1.1). */
export function expectsContinue(request: IncomingMessage): boolean {
  return expectationsOf(request).length > 0;
}

function versionFault({ httpVersionMajor }: IncomingMessage): ApiError | undefined {
  return httpVersionMajor === 1 ? undefined : unsupportedVersion();
}

/**
 * The forms of RFC 9112, section 3.2. What begins with a slash or an asterisk was checked by Node, but for a fragment.
 */
function targetFault(target: string): ApiError | undefined {
  if (target.includes('#')) return malformed('the request target has a fragment');
  const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i.exec(target)?.[1];
  if (host === undefined || (/^[^:]/.test(host) && authority.test(host))) return undefined;
  return malformed('the request target does not name a host');
}

function headersFault({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): ApiError | undefined {
  const repeated = repeatedHeader(rawHeaders);
  if (repeated !== undefined) return malformed(`the header ${repeated} is repeated`);
  const { host } = headers;
  if (host === undefined) return httpVersionMinor === 0 ? undefined : malformed('the header Host is missing');
  return authority.test(host) ? undefined : malformed('the header Host does not name a host');
}

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  return singleHeaders.find((name) => {
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) if (isNamed(rawHeaders[at] ?? '', name)) count += 1;
    return count > 1;
  });
}

/**
 * Whether a header has this name, whatever its case. Most are told apart by their lengths, which costs next to nothing.
 */
function isNamed(header: string, name: string): boolean {
  return header.length === name.length && header.toLowerCase() === name.toLowerCase();
}

/**
 * Where chunked is the last coding, the end of the body is known, and another coding is something that the service does
 * not have. Where it is not, or HTTP/1.0 does not know of it, nobody can tell where the request ends (RFC 9112,
 * sections 6.1 and 6.3).
 */
function codingFault({ headers, httpVersionMinor }: IncomingMessage): ApiError | undefined {
  const codings = headers['transfer-encoding']?.toLowerCase();
  if (codings === undefined) return undefined;
  if (httpVersionMinor === 0) return malformed('HTTP/1.0 has no Transfer-Encoding');
  if (codings === 'chunked') return undefined;
  return codings.split(',').at(-1)?.trim() === 'chunked'
    ? new ApiError('not_implemented', 'The service has no transfer coding but chunked, applied once.')
    : malformed('the last transfer coding is not chunked');
}

function expectationFault(request: IncomingMessage): ApiError | undefined {
  return expectationsOf(request).every((expectation) => expectation === '100-continue')
    ? undefined
    : new ApiError('expectation_failed', 'The service meets no expectation but 100-continue.');
}

/** HTTP/1.0 has none. */
function expectationsOf({ headers: { expect }, httpVersionMinor }: IncomingMessage): string[] {
  if (expect === undefined || httpVersionMinor === 0) return [];
  const members = expect.toLowerCase().split(',');
  return members.map((member) => member.trim()).filter((member) => member !== '');
}
