/** The content of a request or a response, by media type. */
type Content<Media> = Readonly<Record<string, Media>>;

/** The media types of JSON, and those based on it, such as `application/problem+json` (RFC 6839, section 3.1). */
const json = /^(?:text\/json|application\/(?:json|[\w.!#$&^*-]+\+json))$/;

/** A media type in lower case, without parameters such as `charset`. */
export function mediaTypeOf(text: string): string {
  return (text.split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function isJson(mediaType: string): boolean {
  return json.test(mediaTypeOf(mediaType));
}

/** The first media type of a content that is JSON, with what the contract declares for it. */
export function findJson<Media>(content: Content<Media> = {}): readonly [mediaType: string, media: Media] | undefined {
  const found = Object.entries(content).find(([name]) => isJson(name));
  return found && [mediaTypeOf(found[0]), found[1]];
}

/**
 * What a content declares for a media type: by its name, otherwise by the narrowest range that contains it, such as
 * `application/*+json` or `text/*`.
 *
 * @param content by media type in lower case, without parameters.
 */
export function findMedia<Media>(content: ReadonlyMap<string, Media>, mediaType: string): Media | undefined {
  const type = mediaTypeOf(mediaType);
  const found = content.get(type);
  if (found !== undefined) return found;
  const ranges = [type.replace(/\/[^+]*(?=\+)/, '/*'), type.replace(/\/.*/, '/*'), '*/*'];
  return ranges.map((range) => content.get(range)).find((media) => media !== undefined);
}
