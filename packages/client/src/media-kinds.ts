/** Which media types are JSON and which are text, for the types, the server, the mock and the client. */

/**
 * JSON MIME types (WHATWG MIME Sniffing, section 4.6): `application/json`, `text/json`, and those with the suffix
 * `+json`, also as the range `application/*+json`.
 */
const json = /^(?:application|text)\/json$|^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\+json$/;

/** Text: `text/*`, XML, and formats of lines or code in UTF-8. */
const text =
  /^text\/|\+(?:xml|yaml)$|^application\/(?:xml|(?:x-)?(?:yaml|ndjson|jsonlines|javascript)|jsonl|json-seq|graphql|jwt|sql)$/;

/** JSON lines: a JSON value on each line. */
const jsonLines = /^application\/(?:(?:x-)?(?:ndjson|jsonlines)|jsonl)$/;

/** The media types that `isJson` accepts, in lower case and without parameters. */
export type JsonMediaType = `${'application' | 'text'}/json` | `${string}/${string}+json`;

/** The media types that `isJsonLines` accepts likewise. */
export type JsonLinesMediaType = `application/${`${'' | 'x-'}${'ndjson' | 'jsonlines'}` | 'jsonl'}`;

/** The media types that `isText` accepts likewise, and JSON. */
export type TextMediaType =
  | `text/${string}`
  | `${string}+${'xml' | 'yaml'}`
  | `application/${'' | 'x-'}${'yaml' | 'ndjson' | 'jsonlines' | 'javascript'}`
  | `application/${'xml' | 'jsonl' | 'json-seq' | 'graphql' | 'jwt' | 'sql'}`;

/** A media type in lower case, without parameters. */
export type EssenceOf<Type> = Type extends `${infer Essence};${string}`
  ? Trimmed<Lowercase<Essence>>
  : LowercaseOf<Type>;

type Trimmed<Text> = Text extends `${infer Start} ` ? Trimmed<Start> : Text;

type LowercaseOf<Type> = Type extends string ? Lowercase<Type> : never;

/** A media type in lower case, without parameters such as `charset`. */
export function mediaTypeOf(text: string): string {
  return (text.split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function isJson(mediaType: string): boolean {
  return json.test(mediaTypeOf(mediaType));
}

/** Whether the content is JSON lines: an array where the schema describes one, otherwise text. */
export function isJsonLines(mediaType: string): boolean {
  return jsonLines.test(mediaTypeOf(mediaType));
}

/** Whether the content is server-sent events. */
export function isEventStream(mediaType: string): boolean {
  return mediaTypeOf(mediaType) === 'text/event-stream';
}

/** Whether the content is text that is neither JSON nor a form: a string for handlers. */
export function isText(mediaType: string): boolean {
  const type = mediaTypeOf(mediaType);
  return text.test(type) && !json.test(type);
}

/** Whether a media type is one of a range, such as `image/*`, `application/*+json` or the type itself. */
export function isInRange(mediaType: string, range: string): boolean {
  if (mediaType === range || range === '*/*') return true;
  const [start, end, ...others] = range.split('*');
  if (start === undefined || end === undefined || others.length > 0) return false;
  return mediaType.length > start.length + end.length && mediaType.startsWith(start) && mediaType.endsWith(end);
}
