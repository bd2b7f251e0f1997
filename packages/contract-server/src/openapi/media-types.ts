/** The content of a request or a response, by media type. */
type Content<Media> = Readonly<Record<string, Media>>;

/**
 * The media type of JSON, those based on it, such as `application/problem+json` (RFC 6839, section 3.1), and two that
 * documents of .NET declare: `text/json`, and the range `application/*+json`.
 */
const json = /^(?:application|text)\/json$|^application\/[\w.!#$&^*-]+\+json$/;

/** Media types other than `text/*` whose content is text. */
const text =
  /^text\/|^application\/(?:xml|yaml|x-yaml|x-ndjson|ndjson|jsonl|json-seq|javascript|graphql|jwt|sql)$|\+(?:xml|yaml)$/;

/** A media type in lower case, without parameters such as `charset`. */
export function mediaTypeOf(text: string): string {
  return (text.split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function isJson(mediaType: string): boolean {
  return json.test(mediaTypeOf(mediaType));
}

/** Whether the content is text that is neither JSON nor a form: a string for handlers. */
export function isText(mediaType: string): boolean {
  const type = mediaTypeOf(mediaType);
  return text.test(type) && !json.test(type);
}

/** The first media type of a content that is JSON, with what the contract declares for it. */
export function findJson<Media>(content: Content<Media> = {}): readonly [mediaType: string, media: Media] | undefined {
  const found = Object.entries(content).find(([name]) => isJson(name));
  return found && [mediaTypeOf(found[0]), found[1]];
}

/** Whether a media type is one of a range, such as `image/*`, `application/*+json` or the type itself. */
export function isInRange(mediaType: string, range: string): boolean {
  if (mediaType === range || range === '*/*') return true;
  const [start, end, ...others] = range.split('*');
  if (start === undefined || end === undefined || others.length > 0) return false;
  return mediaType.length > start.length + end.length && mediaType.startsWith(start) && mediaType.endsWith(end);
}

/** A media type, and the ranges that contain it, the narrowest first, such as `application/*+json` and `text/*`. */
export function rangesOf(mediaType: string): readonly string[] {
  const type = mediaTypeOf(mediaType);
  return [type, type.replace(/\/[^+]*(?=\+)/, '/*'), type.replace(/\/.*/, '/*'), '*/*'];
}

/**
 * What a content declares for a media type: by its name, otherwise by the narrowest range that contains it.
 *
 * @param content by media type in lower case, without parameters.
 */
export function findMedia<Media>(content: ReadonlyMap<string, Media>, mediaType: string): Media | undefined {
  return rangesOf(mediaType)
    .map((range) => content.get(range))
    .find((media) => media !== undefined);
}
