import type { IncomingMessage, ServerResponse } from 'node:http';
import { endResponse } from './protocol/end-response.js';
import { contentLengthOf, hasBody } from './protocol/protocol-checks.js';
import { rateLimitHeaders } from './rate-limit-headers.js';
import { type HttpResponse, type RequestContext, requireContext } from './request-context.js';
import { requestIdHeader } from './request-ids.js';

/** Maximum length of an unread request body, in bytes, after which the connection stays open. */
const unreadBytesMax = 64 * 1024;

/**
 * Sends the response to a request, unless the rest of the request is malformed: then `ClientErrors` sends the response
 * to that error.
 */
export function sendResponse(response: ServerResponse, reply: HttpResponse): void {
  const context = requireContext(response.req);
  if (context.protocolError === undefined) writeResponse(context, reply);
  else context.concurrency?.leave(context);
}

/**
 * Writes the response to a request: the only function that does so. It adds the headers that the middleware has
 * collected: the rate limits, and the announced removal of the operation. A response has one `Link` header, with all
 * its links.
 */
export function writeResponse(context: RequestContext, reply: HttpResponse): void {
  const { request, response, decision, deprecationHeaders } = context;
  const { status, body, code } = reply;
  context.concurrency?.leave(context);
  context.errorCode = code;
  // The contract closes the connection after a 413, whether or not the rest of the body has arrived.
  if (status === 413 || hasLargeUnreadBody(request)) response.shouldKeepAlive = false;
  const limits = decision && rateLimitHeaders(decision);
  response.writeHead(status, rawHeadersOf(context, reply, [limits, deprecationHeaders]));
  // Responses that are ready in the same event-loop tick are written directly after each other: this wakes a client
  // once for all of them, which saves 2 µs of system time for each. A single response is not delayed.
  const sent = request.method === 'HEAD' ? undefined : body;
  if (typeof sent === 'string') process.nextTick(endResponse, response, sent);
  else process.nextTick(() => response.end(sent));
}

/** Names and values in turn, which is faster in Node than an object. */
function rawHeadersOf(
  { id }: RequestContext,
  { headers, body, mediaType = 'application/json', cacheControl = 'no-store' }: HttpResponse,
  added: readonly HttpResponse['headers'][],
): string[] {
  const raw = [requestIdHeader, id, 'X-Content-Type-Options', 'nosniff', 'Cache-Control', cacheControl];
  let links = '';
  for (const part of [...added, headers]) {
    for (const name in part) {
      const value = part[name] ?? '';
      if (name === 'Link') links += links === '' ? value : `, ${value}`;
      else raw.push(name, value);
    }
  }
  if (links !== '') raw.push('Link', links);
  if (body !== undefined) raw.push('Content-Type', mediaType, 'Content-Length', String(Buffer.byteLength(body)));
  return raw;
}

function hasLargeUnreadBody(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete && !(contentLengthOf(request) <= unreadBytesMax);
}
