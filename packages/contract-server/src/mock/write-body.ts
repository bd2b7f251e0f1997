import {
  isEventStream,
  isJson,
  isJsonLines,
  isText,
  mediaTypeOf,
  typeOfJson,
  typeOfText,
} from '@contract-server/core/contract/media-types.js';
import type { Schema, Schemas } from '@contract-server/core/contract/schemas.js';
import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import { stringifyJsonLines } from '@contract-server/core/json/json-lines.js';
import { writeEvent } from '@contract-server/core/responses/server-sent-events.js';
import { isBinary } from '@contract-server/core/schema/binary-schema.js';
import type { Sample } from './valid-sample.js';

/** What is sent for a range of media types, such as `image/*`. */
const typesOfRanges: Readonly<Record<string, string>> = {
  ...{ text: 'text/plain', image: 'image/png', audio: 'audio/mpeg', video: 'video/mp4' },
};
/** One transparent pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** The media type to send for a declared one, which may be a range: that of text has a charset. */
export function sentTypeOf(schemas: Schemas, declared: string, schema: Schema): string {
  const type = typeIn(schemas, declared, schema);
  return isJson(type) ? typeOfJson(type) : typeOfText(type);
}

/** A media type of a range. */
function typeIn(schemas: Schemas, declared: string, schema: Schema): string {
  const type = mediaTypeOf(declared);
  if (type === 'application/*+json') return 'application/json';
  if (type === '*/*' || type === 'application/*')
    return isBinary(schemas, schema) ? 'application/octet-stream' : 'application/json';
  const [, top = ''] = /^(.+)\/\*$/.exec(type) ?? [];
  return top === '' ? declared : (typesOfRanges[top] ?? `${top}/octet-stream`);
}

/** Writes a value in a media type; a text in any type but JSON is the body itself. */
export function writeBody(mediaType: string, { value, toXml }: Sample): string | Uint8Array {
  const type = mediaTypeOf(mediaType);
  if (isJson(type)) return stringifyJson(value);
  if (type === 'image/png') return png;
  if (isEventStream(type)) return eventText(value);
  const hasText = isText(type);
  if (typeof value === 'string') return hasText ? value : Buffer.from(value);
  if (/[/+.-]xml$/.test(type)) return toXml();
  const text = isJsonLines(type) ? stringifyJsonLines([value].flat()) : stringifyJson(value);
  if (type === 'application/x-www-form-urlencoded')
    return String(new URLSearchParams(Object(value) as Record<string, string>));
  return hasText ? text : Buffer.from(text);
}

/** An event with this data, unless it is the text of an event stream, as examples have it. */
function eventText(value: unknown): string {
  const isEvent = typeof value === 'string' && /^(?:data|event|id|retry|):/m.test(value);
  return isEvent ? value : writeEvent({ data: value }, stringifyJson);
}
