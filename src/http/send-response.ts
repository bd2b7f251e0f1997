import type { IncomingMessage } from 'node:http';
import { contentLengthOf, hasBody } from './middleware/json-body.js';
import { rateLimitHeaders } from './middleware/rate-limit-headers.js';
import { endResponse } from './protocol/end-response.js';
import type { HttpResponse, RequestContext } from './request-context.js';
import { requestIdHeader } from './request-ids.js';

/**
 * The rest of a refused request is read and thrown away if it is at most this long, in bytes; else the connection is
 * closed.
 */
const drainBytesMax = 64 * 1024;

/**
 * The one place that writes responses: the head and the body leave in one piece. Adds the headers that the middleware
 * has collected: the rate limits, and what is announced for the operation. A response has one `Link` header, with all
 * its links.
 */
export function sendResponse(context: RequestContext, reply: HttpResponse): void {
  const { request, response, protocolError: fault, decision, deprecationHeaders: announced } = context;
  const { status, body, code } = reply;
  // A request whose rest turned out to be no HTTP is refused for that, whatever else was to be said.
  if (fault !== undefined && fault.code !== code) return;
  context.concurrency?.leave(context);
  context.errorCode = code;
  if (hasLargeUnreadBody(request)) response.shouldKeepAlive = false;
  const limits = decision && rateLimitHeaders(decision);
  response.writeHead(status, headersOf(context, reply, [limits, announced]));
  // Answers that get ready in one turn leave right after each other, once the last of them is made: a client is then
  // woken for all of them rather than for each, which costs the kernel 2 µs. A lone one leaves at once.
  const sent = request.method === 'HEAD' ? undefined : body;
  if (typeof sent === 'string') process.nextTick(endResponse, response, sent);
  else process.nextTick(() => response.end(sent));
}

/** Names and values in turn, which costs Node less than an object of them. */
function headersOf(
  { id }: RequestContext,
  { headers, body, mediaType = 'application/json', cacheControl = 'no-store' }: HttpResponse,
  added: readonly HttpResponse['headers'][],
): string[] {
  const head = [requestIdHeader, id, 'X-Content-Type-Options', 'nosniff', 'Cache-Control', cacheControl];
  let links = '';
  for (const part of [...added, headers]) {
    for (const name in part) {
      const value = part[name] ?? '';
      if (name === 'Link') links += links === '' ? value : `, ${value}`;
      else head.push(name, value);
    }
  }
  if (links !== '') head.push('Link', links);
  if (body !== undefined) head.push('Content-Type', mediaType, 'Content-Length', String(Buffer.byteLength(body)));
  return head;
}

function hasLargeUnreadBody(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete && !(contentLengthOf(request) <= drainBytesMax);
}
