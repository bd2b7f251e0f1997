import type { RequestLimits } from '../contract/document.js';
import { Refusal } from '../domain/refusal.js';
import { headersTooLarge, malformed, targetTooLong, unsupportedVersion } from './wire-rules.js';

/** What Node tells of bytes that its parser (llhttp) does not take, and of a request that does not come to its end. */
export interface ParserError extends Partial<NodeJS.ErrnoException> {
  readonly reason?: string;
  /** What was received last, and how much of that was taken. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** What is wrong, by the code that llhttp has for it. */
const faults: Readonly<Partial<Record<string, string>>> = {
  HPE_INVALID_METHOD: 'it does not begin with a known method and one blank',
  HPE_INVALID_URL: 'the request target has characters that must be percent-encoded, or no slash at its beginning',
  HPE_INVALID_HEADER_TOKEN: 'a header has no colon, has characters that are not allowed, or is folded',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length is not a plain number, or stands beside Transfer-Encoding',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'the header Content-Length is repeated',
  HPE_INVALID_TRANSFER_ENCODING: 'chunked is not the last transfer coding, or Transfer-Encoding stands beside Content-Length',
  HPE_INVALID_CHUNK_SIZE: 'the size of a chunk is not a plain hexadecimal number',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'the chunk extensions are too long',
  HPE_CR_EXPECTED: 'a line or a chunk does not end where it must, with CR LF',
  HPE_LF_EXPECTED: 'a line or a chunk does not end where it must, with CR LF',
  HPE_INVALID_EOF_STATE: 'it ends too early',
};

/** How a request is refused that Node's parser gave up on. */
export function parserFault(error: ParserError, { targetBytesMax, headerBytesMax }: RequestLimits): Refusal {
  const { code = '', reason } = error;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('request_timeout', 'The request did not arrive in time.');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return isRequestLine(error) ? targetTooLong(targetBytesMax) : headersTooLarge(headerBytesMax);
  }
  // The beginning of HTTP/2, and a version that is written properly and not known.
  if (code === 'HPE_PAUSED_H2_UPGRADE' || reason === 'Invalid HTTP version') return unsupportedVersion();
  return malformed(faults[code] ?? 'its bytes make no sense');
}

/**
 * Whether the parser gave up in a request line. It keeps nothing of a line that is not at its end, so what was received last has to tell: the
 * line begins in it with a method, or goes on with a version.
 */
function isRequestLine({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError): boolean {
  const start = rawPacket.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1;
  const line = rawPacket.toString('latin1', start, bytesParsed);
  const rest = rawPacket.toString('latin1', bytesParsed, bytesParsed + 6);
  return /^[A-Z-]+ /.test(line) || rest === ' HTTP/';
}
