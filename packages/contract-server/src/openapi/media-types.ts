/** The content of a request or a response, by media type. */
type Content<Media> = Readonly<Record<string, Media>>;

/** The media type of JSON, and those based on it, such as `application/problem+json` (RFC 6839, section 3.1). */
const json = /^application\/(?:json|[\w.!#$&^-]+\+json)$/;

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
