import type { Operation } from '../contract/contract.js';
import { typeOfText } from '../contract/media-types.js';
import type { DeclaredResponse, HandlerResponse } from '../contract/responses.js';
import { FileBody } from './file-body.js';
import type { ResponseFilters } from './response-filter.js';
import { type ResponseFormat, responseFormatsOf } from './response-formats.js';
import { isStreamSource, StreamedBody } from './streamed-body.js';

/** A response as it is sent, without the headers that the server adds. */
export interface WrittenResponse extends HandlerResponse {
  readonly body?: string | Uint8Array | StreamedBody | FileBody;
}

/** Writes a response of a handler. @throws TypeError if the contract does not declare its body. */
type Write = (response: HandlerResponse) => WrittenResponse;

/**
 * Returns a function that writes the responses of an operation: their bodies as JSON text, unless they are text or
 * bytes already, without fields that the contract does not declare; and their media type, unless it is
 * `application/json`.
 */
export function responseWriter({ id, responses }: Operation, filters: ResponseFilters): Write {
  const writers = new Map<number, Write>();
  return (response) => {
    const { status, body } = response;
    if (body === undefined) return response as WrittenResponse;
    const known = writers.get(status);
    if (known !== undefined) return known(response);
    const write = writerOf(`${String(status)} of ${id}`, responses.find(status), filters);
    writers.set(status, write);
    return write(response);
  };
}

/** @param title names the response in errors. */
function writerOf(title: string, declared: DeclaredResponse | undefined, filters: ResponseFilters): Write {
  const { defaultType, content = [] } = declared ?? {};
  const doesNotConform = (reason: string) =>
    new TypeError(`The response ${title} does not conform to the contract: ${reason}`);
  const formatOf = responseFormatsOf(content, filters, doesNotConform);
  const requireType = (): never => {
    if (content.length === 0) throw doesNotConform('a body is not declared.');
    throw doesNotConform(`it must name its media type, one of ${content.map(({ name }) => name).join(', ')}.`);
  };
  let defaultFormat: ResponseFormat | undefined;
  return (response) => {
    const typed = withMediaType(response);
    const { mediaType = defaultType, body } = typed;
    if (isWritten(body)) {
      if (mediaType === undefined && content.length > 0) requireType();
      return withTypeOf(typed, body, mediaType);
    }
    const format = mediaType === defaultType ? (defaultFormat ??= formatOf(mediaType)) : formatOf(mediaType);
    if (!isStreamSource(body)) return { ...typed, body: format.write(body), mediaType: format.mediaType };
    if (mediaType === undefined) return requireType();
    const stream = format.stream(body);
    return { ...typed, body: stream, mediaType: isOfBytes(stream) ? mediaType : format.mediaType };
  };
}

/** Text has a charset; `application/json` is the default of the server. */
function withTypeOf(
  response: HandlerResponse,
  body: string | Uint8Array,
  mediaType: string | undefined,
): WrittenResponse {
  if (mediaType === undefined || mediaType === 'application/json') return response as WrittenResponse;
  return { ...response, body, mediaType: typeof body === 'string' ? typeOfText(mediaType) : mediaType };
}

/** Whether a body may be in any charset. */
function isOfBytes(body: StreamedBody | FileBody): boolean {
  return body instanceof FileBody || body.isOfBytes;
}

/** Whether a body is text or bytes. */
function isWritten(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

/** The header `Content-Type` has the same meaning as `mediaType`, and takes its place. */
function withMediaType(response: HandlerResponse): HandlerResponse {
  const { headers } = response;
  for (const name in headers) {
    if (name.length !== 'content-type'.length || name.toLowerCase() !== 'content-type') continue;
    const { [name]: mediaType, ...others } = headers;
    return { ...response, headers: others, mediaType: String(mediaType) };
  }
  return response;
}
