import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { runInTurn } from '../lib/run-in-turn.js';
import { FileBody } from './file-body.js';

/** How long items are read that are there at once, before other requests have their turn, in milliseconds. */
const turnMs = 1;
/** The streams that wait for their turn. One has it in each iteration of the event loop, so many take no longer. */
const waiting: (() => void)[] = [];

/** What a handler may return in place of a body that is complete. */
export type StreamSource = AsyncIterable<unknown> | ReadableStream | FileBody;

/** Writes an item of a stream: a chunk of the body. */
export type EncodeItem = (item: unknown) => string | Uint8Array;

/** How a stream is sent whose items are to arrive one by one. */
export interface ItemRules {
  /** Headers of the response, which the headers of the handler replace. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A line that may be sent between any two lines while there is no item. Default: none may. */
  readonly heartbeat?: string;
}

/** A body that is sent while it is produced. It is read as fast as the client receives it. */
export class StreamedBody {
  /** Called with the text of each item before it is sent; what it throws ends the stream. */
  check: ((written: string) => void) | undefined = undefined;
  /** Of text and bytes. */
  readonly stream: Readable;
  /** Whether the source has bytes only. */
  readonly isOfBytes: boolean;

  /**
   * @param encode writes the items. Bytes, and the chunks of a Node stream that is not in object mode, are sent
   * unchanged.
   */
  constructor(
    source: Exclude<StreamSource, FileBody>,
    encode: EncodeItem,
    readonly rules: ItemRules = {},
  ) {
    const items = source instanceof ReadableStream ? Readable.fromWeb(source, { objectMode: true }) : source;
    // An error while nothing is read would end the process.
    if (items instanceof Readable) items.on('error', () => undefined);
    this.isOfBytes = items instanceof Readable && !items.readableObjectMode;
    this.stream = this.isOfBytes ? (items as Readable) : Readable.from(this.encodeItems(items, encode));
    // What sends the stream reports its error, which can occur before.
    this.stream.on('error', () => undefined);
  }

  /** Without `throw`, so that a stream that is destroyed calls `return` of the iterator, also while it waits. */
  private encodeItems(items: AsyncIterable<unknown>, encode: EncodeItem): AsyncIterable<string | Uint8Array> {
    const iterator = items[Symbol.asyncIterator]();
    let turnEnd = 0;
    const next = async (): Promise<IteratorResult<string | Uint8Array, undefined>> => {
      if (performance.now() > turnEnd) {
        await nextTurn();
        turnEnd = performance.now() + turnMs;
      }
      const result = await iterator.next();
      if (result.done === true) return { done: true, value: undefined };
      return { done: false, value: this.encodeItem(result.value, encode) };
    };
    const stop = () => {
      stopReading(items, iterator).catch(() => undefined);
      return Promise.resolve({ done: true, value: undefined } as const);
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: stop }) };
  }

  private encodeItem(item: unknown, encode: EncodeItem): string | Uint8Array {
    if (item instanceof Uint8Array) return item;
    const written = encode(item);
    if (this.check !== undefined && typeof written === 'string') this.check(written);
    return written;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) runInTurn(waiting);
  });
}

/** Whether a body is a stream. */
export function isStreamSource(body: unknown): body is StreamSource {
  return typeof body === 'object' && body !== null && (Symbol.asyncIterator in body || body instanceof FileBody);
}

/** Releases what a body that is not sent reads from. */
export function discardStream(body: unknown): void {
  if (body instanceof StreamedBody) body.stream.destroy();
  if (!isStreamSource(body) || body instanceof FileBody) return;
  if (body instanceof ReadableStream) body.cancel().catch(() => undefined);
  else if (body instanceof Readable) body.on('error', () => undefined).destroy();
  else stopReading(body, body[Symbol.asyncIterator]()).catch(() => undefined);
}

/** Can take forever: a generator that waits for a promise returns when that is settled. */
async function stopReading(items: object, iterator: AsyncIterator<unknown>): Promise<void> {
  // The iterator of a Node stream that waits for data would return only with the data.
  if (isDestroyable(items)) items.destroy();
  else await iterator.return?.();
}

function isDestroyable(items: object): items is { destroy(): void } {
  return typeof (items as { readonly destroy?: unknown }).destroy === 'function';
}
