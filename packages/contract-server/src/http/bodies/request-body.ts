import type { IncomingMessage } from 'node:http';
import { bodyFormats } from '@contract-server/core/bodies/body-formats.js';
import type { BodyRule } from '@contract-server/core/bodies/body-rule.js';
import { hasFiles, selectBodyRule } from '@contract-server/core/bodies/request-body.js';
import { TooManyValues } from '@contract-server/core/json/exact-json.js';
import { ApiError } from '@contract-server/core/lib/errors.js';
import { truncate } from '@contract-server/core/schema/validation-messages.js';
import { parse } from 'content-type';
import type { RequestHandler } from 'express';
import { addressKeyOf } from '../limits/address-limit.js';
import type { ConcurrencyLimit } from '../limits/concurrency-limit.js';
import {
  emptyBody,
  NoResponsePossible,
  type RequestBody,
  type RequestContext,
  requireContext,
} from '../request-context.js';
import { contentLengthOf, hasBody } from '../wire/protocol-checks.js';
import { isGzip } from './gzip-source.js';
import { readMultipart } from './multipart.js';
import { bodyTooLarge, readBytes, readChunks } from './read-chunks.js';
import { TemporaryFiles } from './temporary-files.js';

/**
 * Reads the body of a request, if its operation has one, by its media type. Meanwhile the request holds no slot of the
 * concurrency limit, because its client may be slow.
 *
 * @throws ApiError `unsupported_media_type`, `body_too_large` (without waiting for the rest), `malformed_json`,
 * `invalid_request` for any other body that cannot be read, or `store_unavailable`.
 * @throws NoResponsePossible
 */
export function requestBody(concurrency: ConcurrencyLimit): RequestHandler {
  return (request, _response, next) => {
    const context = requireContext(request);
    const rules = context.match?.kind === 'operation' ? context.match.operation.bodies : [];
    if (rules.length === 0 || !(hasBody(request) || isEmptyValue(request, rules))) {
      next();
      return undefined;
    }
    const rule = requireRule(request, rules);
    prepareToRead(context, rule);
    concurrency.leave(context);
    if (hasFiles(rule)) {
      return readFiles(context, rule).then((body) => {
        concurrency.enter(context);
        context.body = body;
        next();
      });
    }
    return readBytes(request, rule.bytesMax).then((bytes) => {
      concurrency.enter(context);
      context.body = parseBody(bytes, rule);
      next();
    });
  };
}

/** Checks the size of a body before it is read, and requests it from a client that waits for 100 Continue. */
function prepareToRead(context: RequestContext, { bytesMax }: BodyRule): void {
  const { request, response, awaitsContinue } = context;
  if (contentLengthOf(request) > bytesMax) throw bodyTooLarge(bytesMax);
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

/** Whether an empty body is sent in a format in which it is a value, not an omitted body. */
function isEmptyValue({ headers }: IncomingMessage, rules: readonly BodyRule[]): boolean {
  const { 'content-type': contentType, 'content-length': contentLength } = headers;
  if (contentLength === undefined || contentType === undefined || !rules.some(canBeEmpty)) return false;
  const rule = selectBodyRule(rules, contentType);
  return rule !== undefined && canBeEmpty(rule);
}

function canBeEmpty({ kind }: BodyRule): boolean {
  return bodyFormats[kind].canBeEmpty === true;
}

function parseBody(bytes: Uint8Array, rule: BodyRule): RequestBody {
  if (bytes.length === 0 && !canBeEmpty(rule)) return emptyBody;
  try {
    return { rule, bytes, value: bodyFormats[rule.kind].parse?.(bytes, rule), files: [] };
  } catch (error) {
    throw describeReadError(error);
  }
}

function describeReadError(error: unknown): unknown {
  if (error instanceof TooManyValues)
    return new ApiError('body_too_large', `The body has ${error.message}. Shorten it.`, { cause: error });
  if (!(error instanceof SyntaxError)) return error;
  return new ApiError('malformed_json', `The body is not valid JSON: ${error.message}`, { cause: error });
}

/** The files are deleted when the response has been sent, or the client has disconnected. */
async function readFiles(context: RequestContext, rule: BodyRule): Promise<RequestBody> {
  const { request, response, logger, id } = context;
  const files = new TemporaryFiles(addressKeyOf(context.clientAddress));
  const report = (err: unknown) =>
    logger.error({ err, requestId: id }, 'An uploaded file cannot be stored or deleted.');
  const close = () => void files.close().catch(report);
  // Node emits `close` only for the response in progress, not for those of pipelined requests behind it.
  request.socket.once('close', close);
  response.once('close', close).once('close', () => request.socket.off('close', close));
  const { bytes } = emptyBody;
  try {
    if (rule.kind === 'multipart') return { rule, bytes, ...(await readMultipart(request, rule, files)) };
    const mediaType = parse(request.headers['content-type'] ?? '').type;
    const file = await files.store({ name: undefined, mediaType }, (write) =>
      readChunks(request, rule.bytesMax, write),
    );
    return { rule, bytes, value: file, files: [] };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'store_unavailable' && error.cause !== undefined)
      report(error.cause);
    throw describeReadError(error);
  }
}

/** The rule of the media type of a body. @throws ApiError `unsupported_media_type` */
function requireRule({ headers }: IncomingMessage, rules: readonly BodyRule[]): BodyRule {
  const rule = findRule(headers['content-type'] ?? '', rules);
  const { 'content-encoding': coding } = headers;
  if (coding === undefined || coding.toLowerCase() === 'identity') return rule;
  if (!rule.canBeGzip)
    throw unsupported(rules, 'Send the body without Content-Encoding.', { 'Accept-Encoding': 'identity' });
  if (isGzip(coding)) return rule;
  const usage = 'Send the body with Content-Encoding: gzip, or without it.';
  throw unsupported(rules, usage, { 'Accept-Encoding': 'gzip, identity' });
}

function findRule(contentType: string, rules: readonly BodyRule[]): BodyRule {
  const [first] = rules;
  if (first?.name === contentType) return first;
  const rule = selectBodyRule(rules, contentType);
  if (rule === undefined) throw unsupported(rules, `${usageOf(rules)}.`);
  const { charset = 'utf-8' } = parse(contentType).parameters;
  // RFC 8259, section 8.1. Files have any.
  if (charset.toLowerCase() === 'utf-8' || rule.kind === 'file') return rule;
  const found = `Charset \`${truncate(charset)}\` is not supported.`;
  throw unsupported(rules, `${found} Send the body in UTF-8: Content-Type: ${rule.mediaType}.`);
}

function usageOf(rules: readonly BodyRule[]): string {
  const types = namesOf(rules);
  const kind = rules.every((rule) => rule.kind === 'json') ? 'as JSON' : 'with one of these media types';
  return `Send the body ${types.length === 1 && kind !== 'as JSON' ? 'with this media type' : kind}: Content-Type: ${types.join(', ')}`;
}

/** Those of a range occur once. */
function namesOf(rules: readonly BodyRule[]): readonly string[] {
  return [...new Set(rules.map(({ name }) => name))];
}

function unsupported(rules: readonly BodyRule[], message: string, headers: Readonly<Record<string, string>> = {}) {
  const accept = namesOf(rules).join(', ');
  return new ApiError('unsupported_media_type', message, { headers: { Accept: accept, ...headers } });
}
