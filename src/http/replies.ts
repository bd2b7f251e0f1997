import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, HttpReply } from './exchange.js';
import { announcedBytes, hasBody } from './request-body.js';
import { requestIdHeader } from './request-ids.js';

/** The rest of a refused request is read and thrown away if it is at most this long, in bytes; else the connection is closed. */
const drainBytesMax = 64 * 1024;
/** Before the connection is closed, how long and how much of it is read all the same, in milliseconds and bytes. */
const lingerMs = 1000;
const lingerBytesMax = 1024 * 1024;

/** The one place that writes answers: the head and the body leave in one piece. */
export function writeReply(exchange: Exchange, { status, headers, body, code }: HttpReply): void {
  const { request, response, id } = exchange;
  exchange.errorCode = code;
  const head = [requestIdHeader, id, 'Cache-Control', 'no-store'];
  for (const name in headers) head.push(name, headers[name] ?? '');
  if (body !== undefined) head.push('Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body)));
  const closes = leavesTooMuch(request);
  if (closes) head.push('Connection', 'close');
  response.writeHead(status, head);
  const shown = request.method === 'HEAD' ? undefined : body;
  if (closes) endAfterLingering(request, response, shown);
  else response.end(shown);
}

function leavesTooMuch(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete && !(announcedBytes(request) <= drainBytesMax);
}

/**
 * Sends the whole answer at once, but keeps reading for a while before it closes: closing on bytes that were not read resets the
 * connection, and the client would lose the answer (RFC 9112, section 9.6).
 */
function endAfterLingering(request: IncomingMessage, response: ServerResponse, body: string | undefined): void {
  if (body === undefined) response.flushHeaders();
  else response.write(body);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lingerBytesMax) end();
  });
  request.once('end', end).once('close', end).resume();
}
