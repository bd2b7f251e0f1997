import type { Operation } from '../contract/contract.js';
import { isJson, isJsonLines, typeOfText } from '../contract/media-types.js';
import { type DeclaredResponse, findMedia, type HandlerResponse } from '../contract/responses.js';
import type { Schema } from '../contract/schemas.js';
import { stringifyJson } from '../json/exact-json.js';
import { stringifyJsonLines } from '../json/json-lines.js';
import type { ResponseFilters } from './response-filter.js';

/** A response as it is sent, without the headers that the server adds. */
export interface WrittenResponse extends HandlerResponse {
  readonly body?: string | Uint8Array;
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

/** How values are written in a media type. */
interface Format {
  /** As it is sent. */
  readonly mediaType: string;
  readonly write: (value: unknown) => string;
}

/** @param title names the response in errors. */
function writerOf(title: string, declared: DeclaredResponse | undefined, filters: ResponseFilters): Write {
  const { defaultType, content = [] } = declared ?? {};
  const doesNotConform = (reason: string) =>
    new TypeError(`The response ${title} does not conform to the contract: ${reason}`);
  const formatOf = (mediaType = ''): Format => {
    const isLines = isJsonLines(mediaType);
    const found = isLines || isJson(mediaType) ? findMedia(content, mediaType) : undefined;
    // Without a declaration, every field would be dropped.
    if (found === undefined) throw doesNotConform('a JSON body is not declared.');
    const filter = filters.of((found.media.schema ?? true) as Schema | boolean);
    if (!isLines) return { mediaType, write: (value) => stringifyJson(filter(value)) };
    const write = (value: unknown) => {
      if (!Array.isArray(value)) throw doesNotConform('JSON lines are written from an array.');
      // An array that is `writeOnly` as a whole is null, which JSON lines express by none.
      return stringifyJsonLines((filter(value) ?? []) as readonly unknown[]);
    };
    return { mediaType: typeOfText(mediaType), write };
  };
  let defaultFormat: Format | undefined;
  return (response) => {
    const typed = withMediaType(response);
    const { mediaType = defaultType, body } = typed;
    if (isWritten(body)) {
      if (mediaType === undefined && content.length > 0)
        throw doesNotConform(`it must name its media type, one of ${content.map(({ name }) => name).join(', ')}.`);
      return withTypeOf(typed, body, mediaType);
    }
    const format = mediaType === defaultType ? (defaultFormat ??= formatOf(mediaType)) : formatOf(mediaType);
    return { ...typed, body: format.write(body), mediaType: format.mediaType };
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
