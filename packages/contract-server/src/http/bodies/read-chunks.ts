import type { IncomingMessage } from 'node:http';
import { ApiError } from '@contract-server/core/lib/errors.js';
import { NoResponsePossible } from '../request-context.js';
import { gunzip, isGzip } from './gzip-source.js';

/**
 * Reads the body of a request, decompressed. If `onChunk` returns a promise, the next chunk is read when it is
 * fulfilled.
 *
 * @throws ApiError `body_too_large`, without waiting for the rest, or `invalid_request` if it cannot be decompressed.
 * @throws NoResponsePossible if the client disconnects.
 */
export function readChunks(
  request: IncomingMessage,
  bytesMax: number,
  onChunk: (chunk: Buffer) => Promise<unknown> | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let pending: Promise<unknown> | undefined;
    const stop = (error: Error) => {
      source.off('data', onData).off('end', onEnd);
      request.off('close', onClose);
      if (source !== request) source.destroy();
      // What is not read is discarded.
      request.resume();
      reject(error);
    };
    const source = isGzip(request.headers['content-encoding'])
      ? gunzip(request, bytesMax, (error = bodyTooLarge(bytesMax)) => stop(error))
      : request;
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        stop(bodyTooLarge(bytesMax));
        return;
      }
      pending = onChunk(chunk);
      if (pending === undefined) return;
      source.pause();
      pending.then(() => source.resume(), stop);
    };
    const onEnd = () => {
      request.off('close', onClose);
      // A paused request can end too.
      if (pending === undefined) resolve();
      // Its error was passed on already.
      else
        pending.then(
          () => resolve(),
          () => undefined,
        );
    };
    // The error is created only after a disconnect, because it takes as long as reading a body.
    const onClose = () => {
      // A whole request closes before it is decompressed.
      if (source === request || !request.complete)
        stop(new NoResponsePossible('The connection was closed before the body had arrived.'));
    };
    source.on('data', onData);
    source.once('end', onEnd);
    request.once('close', onClose);
  });
}

/** Reads the whole body. @throws the errors of `readChunks`. */
export function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return readChunks(request, bytesMax, (chunk) => void chunks.push(chunk)).then(() => {
    const [first = Buffer.alloc(0)] = chunks;
    return chunks.length > 1 ? Buffer.concat(chunks) : first;
  });
}

export function bodyTooLarge(bytesMax: number): ApiError {
  return new ApiError('body_too_large', `The body exceeds ${String(bytesMax)} bytes. Shorten it.`);
}
