import type { IncomingMessage } from 'node:http';
import type { Report } from './errors.js';
import type { Exchange, HttpReply } from './exchange.js';
import { announcedBytes, hasBody } from './request-body.js';
import { requestIdHeader } from './request-ids.js';

/** The rest of a refused request is read and thrown away if it is at most this long, in bytes; else the connection is closed. */
const drainBytesMax = 64 * 1024;

/**
 * Runs what answers an exchange. If even that fails, the answer itself could not be written, and there is nothing left to say. Never
 * rejects.
 */
export async function conclude(exchange: Exchange, report: Report, answer: () => Promise<void>): Promise<void> {
  try {
    await answer();
  } catch (error) {
    report(error, exchange.id);
    exchange.response.destroy();
  }
}

/** The one place that writes answers: the head and the body leave in one piece. */
export function writeReply(exchange: Exchange, { status, headers, body, mediaType = 'application/json', code }: HttpReply): void {
  const { request, response, id, fault } = exchange;
  // A request whose rest turned out to be no HTTP is refused for that, whatever else was to be said.
  if (fault !== undefined && fault.code !== code) return;
  exchange.errorCode = code;
  const head = [requestIdHeader, id, 'Cache-Control', 'no-store'];
  for (const name in headers) head.push(name, headers[name] ?? '');
  if (body !== undefined) head.push('Content-Type', mediaType, 'Content-Length', String(Buffer.byteLength(body)));
  if (leavesTooMuch(request)) response.shouldKeepAlive = false;
  response.writeHead(status, head);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function leavesTooMuch(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete && !(announcedBytes(request) <= drainBytesMax);
}
