import type { ServerResponse } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Report } from '@contract-server/core/lib/errors.js';
import type { StreamedBody } from '@contract-server/core/responses/streamed-body.js';
import { type RequestContext, requireContext, type StreamedResponse } from '../request-context.js';
import { endLate, sendHead } from './send-response.js';

/**
 * How long a stream that waits for its first item counts as a request that is processed, and how long the head of an
 * event stream waits for the first event, in milliseconds: clients wait for the head.
 */
const openingMs = 1000;
/**
 * The interval of heartbeats, in milliseconds. A load balancer that gives up on a node after 5 s without a byte would
 * end a stream with fewer heartbeats.
 */
const heartbeatMs = 4000;

/**
 * Sends a response while its body is produced, as fast as the client receives it. The stream is destroyed when the
 * client disconnects. An error after the first byte is reported, and ends the connection, so that the client notices.
 *
 * @throws the error of a stream that fails before its first byte; no head was sent.
 */
export async function sendStream(response: ServerResponse, given: StreamedResponse, report: Report): Promise<void> {
  const context = requireContext(response.req);
  const { stream, rules } = given.body;
  const reply = { ...given, headers: { ...rules.headers, ...given.headers } };
  try {
    if (context.request.method === 'HEAD') {
      if (sendHead(context, response, reply) !== undefined) response.end();
      return;
    }
    await firstChunkOf(stream, context, rules.heartbeat !== undefined);
    const head = sendHead(context, response, reply);
    if (head !== undefined) await sendBody(context, reply.body, head.isLast, report);
  } finally {
    stream.destroy();
  }
}

/**
 * Resolves when a stream has a chunk or has ended; for events, also after a second.
 *
 * @throws the error of the stream, or an error whose cause is that of the signal.
 */
function firstChunkOf(stream: Readable, context: RequestContext, isOfEvents: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null) => {
      stopWaiting();
      clearTimeout(timer);
      stream.off('readable', settle);
      if (error) reject(error);
      else resolve();
    };
    const stopWaiting = finished(stream, { writable: false, signal: context.signal }, settle);
    const leave = () => context.concurrency?.leave(context);
    const timer = setTimeout(isOfEvents ? settle : leave, openingMs);
    stream.once('readable', settle);
  });
}

/** Sends the chunks of a stream. */
async function sendBody(
  context: RequestContext,
  { stream, rules: { heartbeat } }: StreamedBody,
  isLast: boolean,
  report: Report,
): Promise<void> {
  const { response, request, signal } = context;
  if (stream.readableLength === 0) response.flushHeaders();
  context.isStreaming = true;
  if (heartbeat !== undefined) context.beginEvents();
  const failure = watchFailure(stream, () => !response.destroyed && !signal.aborted);
  const stopHeartbeats = heartbeat === undefined ? () => undefined : sendHeartbeats(response, stream, heartbeat);
  try {
    await pipeline(stream, response, { end: false, signal });
    if (isLast && !request.complete) endLate(response);
    else response.end();
  } catch {
    if (failure.error !== undefined) report(failure.error, context.id);
    if (context.isCutShort) response.end();
    else abort(response);
  } finally {
    context.isStreaming = false;
    stopHeartbeats();
  }
}

/**
 * Sends heartbeats between the lines of a stream, whose chunks may end within one. A client that does not read receives
 * none. Returns a function that ends them.
 */
function sendHeartbeats(response: ServerResponse, stream: Readable, heartbeat: string): () => void {
  let end: string | number | undefined = '\n';
  stream.on('data', (chunk: string | Uint8Array) => (end = chunk.at(-1) ?? end));
  const timer = setInterval(() => {
    const isBetweenLines = end === '\n' || end === lineFeed;
    if (isBetweenLines && !response.writableNeedDrain) response.write(heartbeat);
  }, heartbeatMs);
  return () => clearInterval(timer);
}

const lineFeed = 10;

/**
 * Ends the connection, so that the client notices. In HTTP/1.0, which has no chunks, only a reset differs from the end
 * of a response; a TLS or Unix socket has none.
 */
function abort(response: ServerResponse): void {
  const { httpVersion, socket } = response.req;
  const isTcp = socket.remoteFamily !== undefined && !('encrypted' in socket);
  if (httpVersion === '1.0' && isTcp) socket.resetAndDestroy();
  response.destroy();
}

/**
 * Watches the errors of a stream. One that it has because the client has disconnected is none.
 *
 * @param isOpen whether the client is connected.
 */
function watchFailure(stream: Readable, isOpen: () => boolean): { readonly error: unknown } {
  const failure: { error: unknown } = { error: undefined };
  const fail = (error: unknown) => {
    if (isOpen()) failure.error ??= error;
  };
  stream.once('error', fail).once('close', () => {
    if (!stream.readableEnded) fail(new Error('The stream of a response was destroyed before its end.'));
  });
  return failure;
}
