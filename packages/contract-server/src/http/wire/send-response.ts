import type { ServerResponse } from 'node:http';
import { type AnyResponse, type HttpResponse, type RequestContext, requireContext } from '../request-context.js';
import { sendInTurn } from './pipelining.js';
import { contentLengthOf, hasBody } from './protocol-checks.js';
import { type HeaderValue, rawHeadersOf, writeHead } from './response-headers.js';

/** Maximum length of an unread request body, in bytes, after which the connection stays open. */
const unreadBytesMax = 64 * 1024;
/** How long the rest of a request is still read, and discarded, after the last response, in milliseconds. */
export const lingerMs = 1000;

/**
 * Sends the response to a request; `ClientErrors` sends those to bytes that are no request. It adds the headers that
 * the middleware has collected: the rate limits, and the announced removal of the operation. It does nothing for a
 * request that already has a response, which was rejected while its body arrived.
 *
 * @throws Error for a header that cannot be sent; the response then has none of these headers.
 */
export function sendResponse(response: ServerResponse, reply: HttpResponse): void {
  const context = requireContext(response.req);
  const head = sendHead(context, response, reply);
  if (head === undefined) return;
  const { request, connection } = context;
  const sent = request.method === 'HEAD' ? undefined : reply.body;
  if (head.isLast && (!request.complete || connection.isPipelined))
    sendInTurn(connection, request, () => endLate(response, sent));
  else if (ready === undefined) endResponse(context, response, sent);
  else ready.push([context, response, sent]);
}

/**
 * Writes the head of the response to a request, as above. Returns whether it is the last one of its connection;
 * `undefined` for a request that already has a response.
 */
export function sendHead(
  context: RequestContext,
  response: ServerResponse,
  reply: AnyResponse,
): { readonly isLast: boolean } | undefined {
  const head = prepareHead(context, response, reply);
  if (head !== undefined) writeHead(response, reply.status, head.headers);
  return head;
}

/** The headers of the response to a request, likewise. */
export function prepareHead(
  context: RequestContext,
  response: ServerResponse,
  reply: AnyResponse,
): { readonly headers: HeaderValue[]; readonly isLast: boolean } | undefined {
  context.concurrency?.leave(context);
  if (response.headersSent) return undefined;
  context.errorCode = reply.code;
  const headers = rawHeadersOf(context, reply);
  const isLast = isLastResponse(context, reply);
  if (isLast) {
    // Later requests on the connection are not served.
    context.connection.isClosing = true;
    response.setHeader('Connection', 'close');
  }
  return { headers, isLast };
}

/**
 * Whether the connection is closed after a response. The response to a pipelined request never closes it, because Node
 * would not send those behind it.
 */
function isLastResponse(context: RequestContext, { code }: Pick<HttpResponse, 'code'>): boolean {
  const { connection, request } = context;
  if (connection.latest !== context) return false;
  // A body of unknown length (`NaN`) counts as large.
  const hasLargeUnreadBody = hasBody(request) && !request.complete && !(contentLengthOf(request) <= unreadBytesMax);
  return context.closesConnection || connection.isStopping || code === 'body_too_large' || hasLargeUnreadBody;
}

/**
 * Adds `Connection: close` to the head of a response, also to one that a route sends, unless a later request has been
 * received on the connection by then.
 */
export function announceClose({ request, response, connection }: RequestContext): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    const isLast = !response.headersSent && connection.latest?.request === request;
    if (isLast) response.setHeader('Connection', 'close');
    writeHead(...args);
    // A route may replace it.
    if (isLast && response.getHeader('Connection') === 'close') connection.isClosing = true;
    return response;
  };
}

/**
 * Sends a whole response at once, but ends it only when the client has sent the rest or closed its side, or after a
 * second: Node then closes the connection, and with unread bytes that would reset it (RFC 9112, section 9.6). A client
 * that pipelines may send further requests until it has received the response.
 */
export function endLate(response: ServerResponse, body?: HttpResponse['body']): void {
  const { req } = response;
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  if (!requireContext(req).connection.isPipelined) req.once('end', end).once('close', end);
  req.resume().socket.once('end', end).once('close', end);
  response.flushHeaders();
  if (body !== undefined) response.write(body);
}

type ReadyResponse = readonly [context: RequestContext, response: ServerResponse, body: HttpResponse['body']];

/** The responses that wait for `sendCollected`; `undefined` while each response is sent at once. */
let ready: ReadyResponse[] | undefined;

/**
 * Collects responses until `sendCollected` sends them together. Otherwise each response wakes its client, whose next
 * requests then arrive one by one, which doubles the time of a request under load.
 */
export function collectResponses(): void {
  ready ??= [];
}

/** Sends the responses that have been collected. */
export function sendCollected(): void {
  const collected = ready ?? [];
  ready = undefined;
  for (const each of collected) endResponse(...each);
}

function endResponse(...[{ connection, request }, response, body]: ReadyResponse): void {
  if (connection.pending.size > 1) sendInTurn(connection, request, () => response.end(body));
  else response.end(body);
}
