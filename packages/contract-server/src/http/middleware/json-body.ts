import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';
import type { RequestHandler } from 'express';
import { parseJson, TooManyValues } from '../../json/exact-json.js';
import { ApiError } from '../../lib/errors.js';
import type { BodyRule } from '../../openapi/document.js';
import { truncate } from '../../openapi/validation-messages.js';
import { contentLengthOf, hasBody } from '../protocol-checks.js';
import {
  emptyBody,
  type JsonBody,
  NoResponsePossible,
  type RequestContext,
  requireContext,
} from '../request-context.js';
import type { ConcurrencyLimit } from './concurrency-limit.js';

/**
 * Reads the JSON body of a request, if its operation has one. Meanwhile the request holds no slot of the concurrency
 * limit, because its client may be slow.
 *
 * @throws ApiError `unsupported_media_type`, `body_too_large` (without waiting for the rest) or `malformed_json`.
 * @throws NoResponsePossible
 */
export function jsonBody(concurrency: ConcurrencyLimit): RequestHandler {
  return (request, _response, next) => {
    const context = requireContext(request);
    const rule = context.match?.kind === 'operation' ? context.match.operation.body : undefined;
    if (rule === undefined || !hasBody(request)) {
      next();
      return undefined;
    }
    prepareToRead(context, rule);
    concurrency.leave(context);
    return readBytes(request, rule.bytesMax).then((bytes) => {
      concurrency.enter(context);
      context.body = parseBody(bytes, rule);
      next();
    });
  };
}

/** Checks the headers of a body before it is read, and requests it from a client that waits for 100 Continue. */
function prepareToRead(context: RequestContext, { bytesMax, mediaType }: BodyRule): void {
  const { request, response, awaitsContinue } = context;
  requireJson(request, mediaType);
  if (contentLengthOf(request) > bytesMax) throw tooLarge(bytesMax);
  // Waiting for it would never end.
  if (request.readableDidRead) throw bodyWasRead();
  // After a disconnect during the key look-up, no further event is emitted.
  if (request.destroyed) throw new NoResponsePossible('The connection was closed before the body was read.');
  if (response.headersSent) throw new NoResponsePossible('The request was already rejected for its malformed body.');
  if (awaitsContinue) response.writeContinue();
}

/** A defect of the application. The response describes it too, for the developer. */
function bodyWasRead(): ApiError {
  const message =
    'Other middleware has read the body of the request. Put the API before middleware that reads bodies, such as ' +
    'express.json().';
  return new ApiError('internal_error', message, { cause: new Error(message) });
}

function parseBody(bytes: Uint8Array, { valuesMax }: BodyRule): JsonBody {
  if (bytes.length === 0) return emptyBody;
  try {
    return { bytes, value: parseJson(bytes, valuesMax) };
  } catch (error) {
    if (error instanceof TooManyValues)
      throw new ApiError('body_too_large', `The body has ${error.message}. Shorten it.`, { cause: error });
    if (!(error instanceof SyntaxError)) throw error;
    throw new ApiError('malformed_json', `The body is not valid JSON: ${error.message}`, { cause: error });
  }
}

function requireJson({ headers }: IncomingMessage, mediaType: string): void {
  const unsupported = (message: string, accepted: Readonly<Record<string, string>> = {}) =>
    new ApiError('unsupported_media_type', message, { headers: { Accept: mediaType, ...accepted } });
  const problem = contentTypeProblem(headers['content-type'] ?? '', mediaType);
  if (problem !== undefined) throw unsupported(problem);
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw unsupported('Send the body without Content-Encoding.', { 'Accept-Encoding': 'identity' });
}

/**
 * The error message for a Content-Type other than that of the operation's body, without a charset or with UTF-8
 * (RFC 8259, section 8.1).
 */
function contentTypeProblem(contentType: string, mediaType: string): string | undefined {
  if (contentType === mediaType) return undefined;
  const { type, parameters } = parse(contentType);
  if (type !== mediaType) return `Send the body as JSON: Content-Type: ${mediaType}.`;
  const { charset = 'utf-8' } = parameters;
  if (charset.toLowerCase() === 'utf-8') return undefined;
  return `Charset \`${truncate(charset)}\` is not supported. Send the body in UTF-8: Content-Type: ${mediaType}.`;
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('body_too_large', `The body exceeds ${String(bytesMax)} bytes. Shorten it.`);
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
    const onClose = () => reject(new NoResponsePossible('The connection was closed before the body had arrived.'));
    request.on('data', onData);
    request.once('end', () => {
      request.off('close', onClose);
      const [first = Buffer.alloc(0)] = chunks;
      resolve(chunks.length > 1 ? Buffer.concat(chunks) : first);
    });
    request.once('close', onClose);
  });
}
