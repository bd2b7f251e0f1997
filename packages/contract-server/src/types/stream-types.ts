import type { JsonLinesMediaType } from '../client/media-kinds.js';
import type { Json } from '../json/exact-json.js';
import type { FileBody } from '../responses/file-body.js';
import type { ServerSentEvent } from '../responses/server-sent-events.js';

/**
 * A body in another media type than JSON: text, bytes, or a stream, which can be a Node stream, a web stream, or an
 * async iterable, or a file. Of server-sent events and JSON lines, the items are typed, and bytes are sent unchanged.
 *
 * @typeParam Type the media type in lower case, without parameters.
 */
export type OtherBody<Type, Body> =
  | string
  | Uint8Array
  | LinesOf<Type, Body>
  | Stream<ItemOf<Type, Body> | Uint8Array>
  | FileBody;

/** The array that JSON lines are written from; `never` for other media types. */
type LinesOf<Type, Body> = Type extends JsonLinesMediaType ? Extract<Body, readonly unknown[]> : never;

type ItemOf<Type, Body> = Type extends 'text/event-stream'
  ? ServerSentEvent<DataOf<Body>>
  : [Type, Body] extends [JsonLinesMediaType, readonly (infer Item)[]]
    ? ValueOf<Exclude<Item, string>> | Json<Item>
    : string;

/** Text, if the schema allows it; otherwise a text is JSON text. */
type DataOf<Body> = ValueOf<Body> | Json<Body>;

type ValueOf<Body> = unknown extends Body ? object | number | bigint | boolean | string | null : Body;

type Stream<Item> = AsyncIterable<Item> | WebStream<Item>;

/** A `ReadableStream`, whose type the libraries of browsers and of Node.js declare. */
interface WebStream<Item> {
  getReader(): { read(): Promise<{ readonly value?: Item | undefined }> };
}
