import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';
import type { RequestHandler } from 'express';
import { MalformedJson, parseJson } from '../../json/exact-json.js';
import { ApiError } from '../../lib/errors.js';
import type { BodyRule } from '../../openapi/document.js';
import { ClientDisconnected } from '../error-responses.js';
import { contentLengthOf, expectsContinue, hasBody } from '../protocol-checks.js';
import { emptyBody, type JsonBody, type RequestContext, requireContext } from '../request-context.js';
import type { ConcurrencyLimit } from './concurrency-limit.js';

/**
 * Reads the body of a request, if its operation has one.
 *
 * @throws ApiError `unsupported_media_type`, `body_too_large` or `malformed_json`.
 */
export function jsonBody(concurrency: ConcurrencyLimit): RequestHandler {
  return (request, _response, next) => {
    const context = requireContext(request);
    const rule = context.match?.kind === 'operation' ? context.match.operation.body : undefined;
    const body = rule === undefined ? emptyBody : readJsonBody(context, rule);
    if (body instanceof Promise) {
      concurrency.leave(context);
      return body.then((arrived) => {
        concurrency.enter(context);
        context.body = arrived;
        next();
      });
    }
    context.body = body;
    next();
    return undefined;
  };
}

/**
 * Reads the JSON body of a request, synchronously if it has arrived completely, as most bodies have after
 * authentication and rate limiting.
 *
 * @throws ApiError `unsupported_media_type`, `body_too_large` (without waiting for the rest) or `malformed_json`.
 * @throws ClientDisconnected
 */
function readJsonBody(
  { request, response }: RequestContext,
  { mediaType, bytesMax, valuesMax }: BodyRule,
): JsonBody | Promise<JsonBody> {
  if (!hasBody(request)) return emptyBody;
  requireJson(request, mediaType);
  if (contentLengthOf(request) > bytesMax) throw tooLarge(bytesMax);
  // After a disconnect during the key look-up, no further event is emitted.
  if (request.destroyed) throw new ClientDisconnected('The connection was closed before the body was read.');
  if (response.headersSent) throw new ClientDisconnected('The request was already rejected for its malformed body.');
  if (expectsContinue(request)) response.writeContinue();
  if (request.complete) return jsonBodyOf(arrivedBytes(request, bytesMax), valuesMax);
  return readBytes(request, bytesMax).then((bytes) => jsonBodyOf(bytes, valuesMax));
}

function jsonBodyOf(bytes: Uint8Array, valuesMax: number): JsonBody {
  if (bytes.length === 0) return emptyBody;
  try {
    return { bytes, value: parseJson(bytes, valuesMax) };
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw new ApiError('malformed_json', `The body is not valid JSON: ${error.message}`, { cause: error });
  }
}

function requireJson({ headers }: IncomingMessage, mediaType: string): void {
  if (!isUtf8(headers['content-type'] ?? '', mediaType)) {
    throw new ApiError('unsupported_media_type', `Send the body as JSON: Content-Type: ${mediaType}.`, {
      headers: { Accept: mediaType },
    });
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', 'Send the body without Content-Encoding.', {
      headers: { Accept: mediaType, 'Accept-Encoding': 'identity' },
    });
  }
}

/** A parameter of a Content-Type, with its name. */
const parameter = /;([^;=]*)(?:=[ \t]*(?:"(?:[^"\\]|\\.)*"?)?[^;]*)?/g;

/**
 * Whether a Content-Type is a media type, without a charset or with UTF-8 (RFC 8259, section 8.1). A repeated charset is
 * an error (RFC 6838, section 4.3): recipients differ on which of two they use.
 */
function isUtf8(contentType: string, mediaType: string): boolean {
  if (contentType === mediaType) return true;
  const { type, parameters } = parse(contentType);
  if (type !== mediaType || (parameters['charset'] ?? 'utf-8').toLowerCase() !== 'utf-8') return false;
  let charsets = 0;
  for (const [, name = ''] of contentType.matchAll(parameter))
    if (name.trim().toLowerCase() === 'charset') charsets += 1;
  return charsets <= 1;
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('body_too_large', `The body exceeds ${String(bytesMax)} bytes. Shorten it.`);
}

function arrivedBytes(request: IncomingMessage, bytesMax: number): Uint8Array {
  let bytes: Uint8Array = (request.read() as Buffer | null) ?? emptyBody.bytes;
  // Since Node 26, `read` returns one chunk at a time.
  if (request.readableLength > 0) {
    const chunks = [bytes];
    for (let chunk: Buffer | null; (chunk = request.read() as Buffer | null) !== null; ) chunks.push(chunk);
    bytes = Buffer.concat(chunks);
  }
  if (bytes.length > bytesMax) throw tooLarge(bytesMax);
  return bytes;
}

function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else {
        request.off('data', onData);
        reject(tooLarge(bytesMax));
      }
    };
    // The error is created only after a disconnect, because it takes as long as reading a body.
    const onClose = () => reject(new ClientDisconnected('The connection was closed before the body had arrived.'));
    request.on('data', onData);
    request.once('end', () => {
      request.off('close', onClose);
      resolve(Buffer.concat(chunks));
    });
    request.once('close', onClose);
  });
}
