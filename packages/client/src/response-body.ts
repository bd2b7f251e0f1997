import { parseJson } from './exact-json.js';
import {
  type EssenceOf,
  isInRange,
  isJson,
  isJsonLines,
  isText,
  type JsonLinesMediaType,
  type JsonMediaType,
  mediaTypeOf,
  type TextMediaType,
} from './media-kinds.js';
import type { Readable } from './read-write.js';

/** The body of a response as the client reads it; `undefined` without content. */
export type ResponseBody<Response> = Response extends { readonly content: infer Content }
  ? [keyof Content] extends [never]
    ? undefined
    : { [Type in keyof Content]: BodyOf<EssenceOf<Type>, Content[Type]> }[keyof Content]
  : undefined;

/** A range such as `application/*` is JSON if a schema describes it, and no file. */
type BodyOf<Type, Value> = Type extends JsonMediaType
  ? Readable<Value>
  : Type extends JsonLinesMediaType
    ? Value extends readonly unknown[]
      ? Readable<Value>
      : readonly unknown[]
    : Type extends TextMediaType
      ? string
      : Type extends '*/*' | 'application/*'
        ? Value extends Blob
          ? Blob
          : Readable<Value>
        : Blob;

/**
 * Reads the body of a successful response: the value of JSON, the array of JSON lines, other text, or a `Blob`.
 *
 * @param declared the media types and ranges that the contract declares besides JSON. Any other body must be JSON.
 * @throws SyntaxError for a body that is not JSON.
 */
export async function readBody(response: Response, declared: readonly string[] = []): Promise<unknown> {
  const type = mediaTypeOf(response.headers.get('Content-Type') ?? '');
  const isOther = !isJson(type) && declared.some((range) => isInRange(type, range));
  if (isOther && !isText(type)) return response.blob();
  const text = await response.text();
  if (isOther && !isJsonLines(type)) return text;
  // An empty array has no lines, and so the response no body.
  if (isOther) return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseJson(line)]));
  return text === '' ? undefined : parseJson(text);
}
