import { ApiError } from '../lib/errors.js';
import { headersTooLarge, malformed, targetTooLong } from './protocol-checks.js';

/** The error of Node's event `clientError`: bytes that its parser (llhttp) rejects, or an incomplete request. */
export interface ParserError extends Partial<NodeJS.ErrnoException> {
  /** The last bytes that were received, and how many of them were parsed. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Explanations by error code of llhttp. Any other code has a general one. */
const explanations: Readonly<Partial<Record<string, string>>> = {
  HPE_INVALID_METHOD: 'it does not start with a known method and a space',
  HPE_INVALID_URL: 'the request target has characters that must be percent-encoded, or does not start with a slash',
  HPE_INVALID_VERSION: 'only HTTP/1.1 and HTTP/1.0 are supported',
  HPE_PAUSED_H2_UPGRADE: 'only HTTP/1.1 and HTTP/1.0 are supported',
  HPE_INVALID_HEADER_TOKEN: 'a header has no colon, has characters that are not allowed, or is folded',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length is not a decimal number, or is combined with Transfer-Encoding',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'the header Content-Length is repeated',
  HPE_INVALID_TRANSFER_ENCODING:
    'chunked is not the last transfer coding, or Transfer-Encoding is combined with Content-Length',
  HPE_INVALID_CHUNK_SIZE: 'the size of a chunk is not a hexadecimal number',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'the chunk extensions are too long',
  HPE_CR_EXPECTED: 'a line or a chunk does not end with CR LF',
  HPE_LF_EXPECTED: 'a line or a chunk does not end with CR LF',
  HPE_INVALID_EOF_STATE: 'it is incomplete',
};

/** The error for a request that Node's parser rejects. */
export function parserApiError(error: ParserError): ApiError {
  const { code = '' } = error;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('request_timeout', 'The request was not received in time. Send it again.');
  if (code === 'HPE_HEADER_OVERFLOW') return isInRequestLine(error) ? targetTooLong() : headersTooLarge();
  return malformed(explanations[code] ?? 'it could not be parsed');
}

/** Whether the parser failed in a request line, as far as the last bytes that were received contain its start. */
function isInRequestLine({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError): boolean {
  const lineStart = rawPacket.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1;
  return /^[A-Z-]+ /.test(rawPacket.toString('latin1', lineStart, lineStart + 50));
}

/** Whether a rejected request is a HEAD request, as far as the last bytes that were received contain its start. */
export function isHeadRequest({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError): boolean {
  const emptyLine = rawPacket.lastIndexOf('\r\n\r\n', Math.max(0, bytesParsed - 5));
  return /^(?:\r\n)*HEAD /.test(rawPacket.toString('latin1', Math.max(0, emptyLine)));
}
