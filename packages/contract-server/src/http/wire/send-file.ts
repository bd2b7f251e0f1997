import type { Stats } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Report } from '@contract-server/core/lib/errors.js';
import { FileError } from '../errors/file-error.js';
import { type FileResponse, type RequestContext, requireContext } from '../request-context.js';
import { conditionsOf, etagOf, lastModifiedOf } from './file-conditions.js';
import { setHeaders } from './response-headers.js';
import { prepareHead } from './send-response.js';

/** A file can be stored, but only for its caller, and is requested again with `If-None-Match`. */
const cacheControl = 'private, no-cache';

/**
 * Sends a file by the package `send`, as Express does: with `ETag` and `Last-Modified`, and for conditional requests
 * and ranges as these ask for. An error after the first byte is reported, and ends the connection.
 *
 * @throws FileError for a file that does not exist, a failed precondition, or a range that cannot be satisfied.
 */
export async function sendFile(response: ServerResponse, reply: FileResponse, report: Report): Promise<void> {
  // Loaded for the first file, so that it does not delay the start.
  const { default: send } = await import('send');
  const context = requireContext(response.req);
  const before = response.getHeaders();
  const head = prepareHead(context, response, { cacheControl, ...reply });
  if (head === undefined) return;
  setHeaders(response, head.headers);
  response.statusCode = reply.status;
  try {
    await transfer(send, context, reply);
  } catch (error) {
    if (!response.headersSent) {
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      for (const [name, value] of Object.entries(before)) if (value !== undefined) response.setHeader(name, value);
      throw error;
    }
    report(error, context.id);
    response.destroy();
  }
}

type Send = typeof import('send');

/** Resolves when the response is sent, or the client has disconnected. */
function transfer(
  send: Send,
  context: RequestContext,
  { status, body: { path, options } }: FileResponse,
): Promise<void> {
  const { request, response } = context;
  const { root, dotfiles = false } = options;
  // Only GET and HEAD are conditional in this way, and have ranges (RFC 9110, sections 13.1 and 14.2).
  const isPlain = status !== 200 || (request.method !== 'GET' && request.method !== 'HEAD');
  const headers: IncomingHttpHeaders = {};
  const source = Object.create(request, { headers: { value: headers } }) as typeof request;
  const prepare = (_path: string, stats: Stats) => {
    const now = Date.now();
    const { etag = etagOf(stats, now), 'last-modified': modified = lastModifiedOf(stats, now) } = response.getHeaders();
    response.setHeader('ETag', etag).setHeader('Last-Modified', modified);
    if (!isPlain) Object.assign(headers, conditionsOf(request, stats.size, etag));
  };
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(toFileError(error));
    // `send` decodes the path.
    send(source, encodeURI(path), {
      ...(root !== undefined && { root }),
      ...{ dotfiles: dotfiles ? 'allow' : 'ignore', index: false, acceptRanges: !isPlain },
    })
      .on('error', fail)
      .on('directory', () => fail(notFound()))
      .on('file', prepare)
      .on('stream', (file: Readable) => closeWith(request.socket, file))
      .pipe(response);
    const { socket } = request;
    const end = () => {
      socket.off('close', end);
      resolve();
    };
    socket.once('close', end);
    response.once('close', end);
    if (socket.destroyed) end();
  });
}

/** Node emits `close` only for the response in progress, not for those of pipelined requests behind it. */
function closeWith(socket: Socket, file: Readable): void {
  const close = () => file.destroy();
  if (socket.destroyed) close();
  else socket.once('close', close);
  file.once('close', () => socket.off('close', close));
}

/** What is thrown for an error of `send`, whose own messages have the path. */
function toFileError(error: HttpError): Error {
  const { status, headers } = error;
  if (status === 412) return new FileError(412, 'The file has changed since. Request it again.');
  if (status === 416) return new FileError(416, 'The range is beyond the end of the file.', headers);
  return status === undefined || status >= 500 ? error : notFound();
}

function notFound(): FileError {
  return new FileError(404, 'There is no such file.');
}

interface HttpError extends Error {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}
