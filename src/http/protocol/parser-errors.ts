import type { Duplex } from 'node:stream';
import { ApiError } from '../../lib/errors.js';
import type { RequestLimits } from '../../openapi/document.js';
import { headersTooLarge, malformed, targetTooLong, unsupportedVersion } from './protocol-checks.js';

/** The error of Node's event `clientError`: bytes that its parser (llhttp) rejects, or an incomplete request. */
export interface ParserError extends Partial<NodeJS.ErrnoException> {
  readonly reason?: string;
  /** The last bytes that were received, and how many of them were parsed. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/**
 * Explanations by error code of llhttp.
 *
 * Undocumented in Node: these codes, and the property `reason`. There is no public list. Tests: unknown-methods.test.ts
 * and malformed-requests.test.ts.
 */
const explanations: Readonly<Partial<Record<string, string>>> = {
  HPE_INVALID_METHOD: 'it does not start with a method and a space',
  HPE_INVALID_URL: 'the request target has characters that must be percent-encoded, or does not start with a slash',
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
export function parserApiError(error: ParserError, limits: RequestLimits): ApiError {
  const { code = '', reason } = error;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('request_timeout', 'The request was not received in time. Send it again.');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return isInRequestLine(error) ? targetTooLong(limits.targetBytesMax) : headersTooLarge(limits);
  }
  if (hasUnknownMethod(error)) return methodNotImplemented();
  // The preface of HTTP/2, and a well-formed version that is not supported.
  if (code === 'HPE_PAUSED_H2_UPGRADE' || reason === 'Invalid HTTP version') return unsupportedVersion();
  return malformed(explanations[code] ?? 'it could not be parsed');
}

/** Whether only the method of a request is invalid. llhttp knows the methods of RTSP too. */
function hasUnknownMethod(error: ParserError): boolean {
  if (error.reason === 'Invalid method for HTTP/x.x request') return true;
  return error.code === 'HPE_INVALID_METHOD' && isRequestLine(lineAt(error));
}

/**
 * Whether the parser failed in a request line. It does not keep incomplete lines, so this is decided from the last
 * bytes: the line starts with a method in them, or continues with a version.
 */
function isInRequestLine(error: ParserError): boolean {
  const { rawPacket = Buffer.alloc(0), bytesParsed = 0 } = error;
  const rest = rawPacket.toString('latin1', bytesParsed, bytesParsed + 6);
  return /^[A-Z-]+ /.test(lineAt(error)) || rest === ' HTTP/';
}

/** Whether a rejected request is a HEAD request, as far as the last bytes that were received contain its start. */
export function isHeadRequest({ code, rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError): boolean {
  // The parser failed in the method, so it is not HEAD.
  if (code === 'HPE_INVALID_METHOD') return false;
  const emptyLine = rawPacket.lastIndexOf('\r\n\r\n', Math.max(0, bytesParsed - 5));
  return /^(?:\r\n)*HEAD /.test(rawPacket.toString('latin1', Math.max(0, emptyLine)));
}

/** The last bytes that were received, from the start of the line in which the parser failed. */
function lineAt({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError): string {
  return rawPacket.toString('latin1', rawPacket.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1);
}

/** Collects request lines with unknown methods: Node's parser fails at the first character that no known method has. */
export class UnknownMethods {
  private readonly lines = new WeakMap<Duplex, string>();

  constructor(private readonly limits: RequestLimits) {}

  /**
   * The error for such a request: 501 if its request line is well-formed (RFC 9110, section 9.1), otherwise 400.
   *
   * @returns `undefined` while the line is incomplete. llhttp reports each further piece as another error.
   */
  findError(error: ParserError, connection: Duplex): ApiError | undefined {
    const begun = this.lines.get(connection);
    const piece = begun === undefined ? lineAt(error) : (error.rawPacket ?? Buffer.alloc(0)).toString('latin1');
    const line = `${begun ?? ''}${piece}`;
    const isBegun = begun === undefined ? isBeginning(piece) : /^[ -~\r]*$/.test(piece);
    if (isBegun && line.length <= this.limits.headerBytesMax) {
      this.lines.set(connection, line);
      return undefined;
    }
    return isRequestLine(line) ? methodNotImplemented() : parserApiError({ code: 'HPE_INVALID_METHOD' }, this.limits);
  }
}

/** Whether a text starts with a complete request line (RFC 9112, section 3) with any method. */
function isRequestLine(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~]+ HTTP\/1\.[01]\r\n/.test(text);
}

/** Whether a text is the start of a request line. */
function isBeginning(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+( [!-~]*( [HTP/1.0\r]{0,9})?)?$/.test(text);
}

function methodNotImplemented(): ApiError {
  return new ApiError('not_implemented', 'The request method is not supported. OPTIONS returns the methods of a path.');
}
