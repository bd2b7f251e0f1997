import { isEventStream, isJson, isJsonLines, typeOfText } from '../contract/media-types.js';
import { type DeclaredMedia, findMedia } from '../contract/responses.js';
import type { Schema } from '../contract/schemas.js';
import { stringifyJson } from '../json/exact-json.js';
import { stringifyJsonLines } from '../json/json-lines.js';
import { FileBody } from './file-body.js';
import type { ResponseFilter, ResponseFilters } from './response-filter.js';
import { heartbeat, writeEvent } from './server-sent-events.js';
import { type EncodeItem, type ItemRules, StreamedBody, type StreamSource } from './streamed-body.js';

/** Otherwise nginx would hold items back until they fill its buffers. */
const unbuffered = { 'X-Accel-Buffering': 'no' };
const ofLines: ItemRules = { headers: unbuffered };
/** Middleware that compresses would hold back events. */
const ofEvents: ItemRules = { headers: { ...unbuffered, 'Cache-Control': 'no-store, no-transform' }, heartbeat };

/** How bodies are written in a media type. Both functions throw a TypeError for what it cannot express. */
export interface ResponseFormat {
  /** As text is sent. */
  readonly mediaType: string;
  /** Writes a value that is neither text nor bytes. */
  readonly write: (value: unknown) => string;
  readonly stream: (source: StreamSource) => StreamedBody | FileBody;
}

/**
 * Returns a function that finds the format of a media type, which writes values without fields that the contract does
 * not declare.
 *
 * @param doesNotConform creates the error for a body that the contract does not declare.
 */
export function responseFormatsOf(
  content: readonly DeclaredMedia[],
  filters: ResponseFilters,
  doesNotConform: (reason: string) => TypeError,
): (mediaType: string | undefined) => ResponseFormat {
  const noValue = () => {
    throw doesNotConform('a JSON body is not declared.');
  };
  const filterOf = (mediaType: string): ResponseFilter => {
    const found = findMedia(content, mediaType);
    // Without a declaration, every field would be dropped.
    if (found === undefined) return noValue();
    return filters.of((found.media.schema ?? true) as Schema | boolean);
  };
  return (type = '') => {
    const mediaType = isJson(type) ? type : typeOfText(type);
    if (isJson(type)) return jsonFormat(mediaType, filterOf(type), doesNotConform);
    if (isJsonLines(type)) return linesFormat(mediaType, filterOf(type), doesNotConform);
    if (isEventStream(type)) return { mediaType, write: noValue, stream: eventStream(filterOf(type)) };
    return { mediaType, write: noValue, stream: (source) => streamed(source, requireChunk) };
  };
}

type DoesNotConform = (reason: string) => TypeError;

function jsonFormat(mediaType: string, filter: ResponseFilter, doesNotConform: DoesNotConform): ResponseFormat {
  return {
    mediaType,
    write: (value) => stringifyJson(filter(value)),
    stream: () => {
      throw doesNotConform('JSON cannot be streamed. Use JSON lines.');
    },
  };
}

function linesFormat(mediaType: string, filter: ResponseFilter, doesNotConform: DoesNotConform): ResponseFormat {
  const write = (value: unknown) => {
    if (!Array.isArray(value)) throw doesNotConform('JSON lines are written from an array.');
    // An array that is `writeOnly` as a whole is null, which JSON lines express by none.
    return stringifyJsonLines((filter(value) ?? []) as readonly unknown[]);
  };
  const writeItem = (item: unknown) => (typeof item === 'string' ? `${requireLine(item)}\n` : write([item]));
  return { mediaType, write, stream: (source) => streamed(source, writeItem, ofLines) };
}

/** JSON text of an item. */
function requireLine(text: string): string {
  if (!text.includes('\n')) return text;
  throw new TypeError('The JSON text of a line must have no line breaks.');
}

function eventStream(filter: ResponseFilter): ResponseFormat['stream'] {
  const writeData = (data: unknown) => stringifyJson(filter(data));
  const write = (event: unknown) => (typeof event === 'string' ? event : writeEvent(event, writeData));
  return (source) => streamed(source, write, ofEvents);
}

function streamed(source: StreamSource, encode: EncodeItem, rules?: ItemRules): StreamedBody | FileBody {
  return source instanceof FileBody ? source : new StreamedBody(source, encode, rules);
}

function requireChunk(chunk: unknown): string {
  if (typeof chunk === 'string') return chunk;
  throw new TypeError('A stream in this media type must consist of text or bytes.');
}
