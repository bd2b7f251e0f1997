import type { JsonLinesMediaType } from '@contract-server/client/media-kinds.js';
import type { Json } from '../json/exact-json.js';
import type { FileBody } from '../responses/file-body.js';
import type { ServerSentEvent } from '../responses/server-sent-events.js';

/**
 * A body in another media type than JSON: text, bytes, or a stream, which can be a Node stream, a web stream, or an
 * async iterable, or a file. Text is sent with `charset=utf-8`. Of server-sent events and JSON lines, the items are
 * typed, and bytes are sent unchanged, as are those of a Node stream that is not in object mode.
 *
 * A stream is read as fast as the client receives it. When the client disconnects, a stream is destroyed, and `return`
 * of an iterator is called. An error before the first chunk becomes an error response; a later one is logged, and ends
 * the connection. A service closes the connection of a client that reads nothing for 50 s. When it stops, event streams
 * end as soon as it accepts no more connections; others have `DRAIN_TIMEOUT_SECONDS`. A stream counts for
 * `MAX_CONCURRENT_REQUESTS` until its first chunk, but for a second at most.
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
