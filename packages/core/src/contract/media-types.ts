import {
  isEventStream,
  isInRange,
  isJson,
  isJsonLines,
  isText,
  mediaTypeOf,
} from '@contract-server/client/media-kinds.js';
import { parse } from 'content-type';
import { asciiText, isToken, quotedString } from '../lib/header-text.js';

export { isEventStream, isInRange, isJson, isJsonLines, isText, mediaTypeOf };

/** The content of a request or a response, by media type. */
type Content<Media> = Readonly<Record<string, Media>>;

/** A media type or a range of them, such as `image/*`, with its parameters. */
export interface MediaRange {
  /** As the contract declares it, such as `Application/JSON; charset=utf-8`. */
  readonly name: string;
  /** In lower case, without parameters. */
  readonly mediaType: string;
  /** Those that a media type must have to be in the range. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Why a content is not supported; `undefined` if it is. */
export function contentProblem(content: Content<unknown> = {}): string | undefined {
  const name = Object.keys(content).find((each) => each !== asciiText(each));
  return name && `The media type ${name} cannot be sent in a header; use only printable ASCII characters.`;
}

/** The first media type of a content that is JSON, with what the contract declares for it. */
export function findJson<Media>(content: Content<Media> = {}): readonly [mediaType: string, media: Media] | undefined {
  const found = Object.entries(content).find(([name]) => isJson(name));
  return found && [mediaTypeOf(found[0]), found[1]];
}

/**
 * Reads a media type of a contract. The boundary of multipart is different in each message; a charset other than UTF-8
 * is not supported, and is not required either.
 */
export function mediaRangeOf(name: string): MediaRange {
  const { type, parameters } = parse(name);
  const { boundary: _, charset = '', ...required } = parameters;
  const isUtf8 = charset.toLowerCase() === defaultCharset;
  return { name, mediaType: type, parameters: isUtf8 ? { ...required, charset: defaultCharset } : required };
}

const defaultCharset = 'utf-8';

/**
 * Finds what a contract declares for a media type: the most specific range that contains it. `*` is the least specific,
 * then `text/*`, `application/*+json`, and the type itself; of two equal ones, that with more parameters. The names of
 * parameters and charsets are case-insensitive, and other values are compared as they are (RFC 9110, section 8.3.1).
 */
export function findRange<Range extends MediaRange>(ranges: readonly Range[], mediaType: string): Range | undefined {
  const { type, parameters: sent } = parse(mediaType);
  const { charset = defaultCharset } = sent;
  const values: Readonly<Record<string, string>> = { ...sent, charset: charset.toLowerCase() };
  const found = ranges.filter(
    ({ mediaType: range, parameters }) =>
      isInRange(type, range) && Object.entries(parameters).every(([name, value]) => values[name] === value),
  );
  return found.sort((one, other) => specificityOf(other) - specificityOf(one))[0];
}

/** No media type has a thousand parameters. */
function specificityOf({ mediaType, parameters }: MediaRange): number {
  const level = mediaType === '*/*' ? 0 : mediaType.endsWith('/*') ? 1 : mediaType.includes('*') ? 2 : 3;
  return level * 1000 + Object.keys(parameters).length;
}

/** A media type with the charset of text that is written from a string, which is sent in UTF-8. */
export function typeOfText(mediaType: string): string {
  if (!isText(mediaType) || /;\s*charset\s*=\s*"?utf-8\b/i.test(mediaType)) return mediaType;
  return `${withoutCharset(mediaType)}; charset=${defaultCharset}`;
}

/** A media type of JSON without a charset, which JSON does not have (RFC 8259, section 11). */
export function typeOfJson(mediaType: string): string {
  return withoutCharset(mediaType);
}

function withoutCharset(mediaType: string): string {
  if (!/;\s*charset\s*=/i.test(mediaType)) return mediaType;
  const { type, parameters } = parse(mediaType);
  const { charset: _, ...others } = parameters;
  const pairs = Object.entries(others).map(
    ([name, value]) => `${name}=${isToken(value) ? value : quotedString(value)}`,
  );
  return [type, ...pairs].join('; ');
}
