import { type IncomingMessage, type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import { hasNoContent } from '@contract-server/core/contract/responses.js';
import { isServerHeader } from '@contract-server/core/contract/server-headers.js';
import { type AnyResponse, type HttpResponse, type RequestContext, requestIdHeader } from '../request-context.js';

/** What the server adds to the response to a request. */
export type AddedHeaders = Pick<RequestContext, 'id' | 'decision' | 'deprecationHeaders' | 'rateLimitHeaders'>;

/** A list of several `Set-Cookie` headers. */
export type HeaderValue = string | string[];

/**
 * The headers of a response: names and values in turn, which is faster in Node than an object. Each name occurs once,
 * except `Set-Cookie`: a header of the response replaces the one that the library would add, and joins its `Link`.
 *
 * @throws TypeError for a header of the response that only the server may write.
 */
export function rawHeadersOf(
  { id, decision, deprecationHeaders, rateLimitHeaders, request }: AddedHeaders & { readonly request?: AnyRequest },
  { status, headers, cacheControl = 'no-store', body, mediaType = 'application/json' }: AnyResponse,
): HeaderValue[] {
  const raw: HeaderValue[] = [requestIdHeader, id, 'X-Content-Type-Options', 'nosniff', 'Cache-Control', cacheControl];
  if (decision !== undefined) rateLimitHeaders(raw, decision);
  if (deprecationHeaders !== undefined) push(raw, deprecationHeaders);
  if (body !== undefined) raw.push('Content-Type', mediaType);
  if (headers !== undefined) putHeaders(raw, headers);
  const bytes = lengthOf(status, body, request?.method);
  if (bytes !== undefined) raw.push('Content-Length', String(bytes));
  return raw;
}

type AnyRequest = Pick<IncomingMessage, 'method'>;

/**
 * The length of a body, in bytes; `undefined` if it is not known (a stream, or HEAD without a body), or must not be
 * sent (RFC 9110, section 8.6).
 */
function lengthOf(status: number, body: AnyResponse['body'], method: string | undefined): number | undefined {
  if (status === 204) return undefined;
  if (body === undefined) return hasNoContent(method, status) ? undefined : 0;
  return typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : undefined;
}

/** Sets the headers that every response to a request has, for a route of the application that sends the response. */
export function setStandardHeaders(
  response: ServerResponse,
  { id, decision, deprecationHeaders, rateLimitHeaders }: AddedHeaders,
): void {
  const raw: HeaderValue[] = [requestIdHeader, id, 'X-Content-Type-Options', 'nosniff'];
  if (decision !== undefined) rateLimitHeaders(raw, decision);
  if (deprecationHeaders !== undefined) push(raw, deprecationHeaders);
  for (let at = 0; at < raw.length; at += 2) mergeHeader(response, String(raw[at]), raw[at + 1] ?? '');
}

function push(raw: HeaderValue[], headers: NonNullable<HttpResponse['headers']>): void {
  for (const name in headers) raw.push(name, String(headers[name]));
}

/** Adds headers, each in place of that of the same name. */
function putHeaders(raw: HeaderValue[], headers: NonNullable<HttpResponse['headers']>): void {
  for (const name in headers) {
    const lower = name.toLowerCase();
    if (isServerHeader(lower)) throw new TypeError(`A response must not set the header ${name}: the server writes it.`);
    const value = headers[name];
    if (value === undefined) continue;
    const added = typeof value === 'object' ? listOf(name, value) : value;
    const at = indexOfName(raw, lower);
    if (at < 0) raw.push(name, added);
    else raw[at + 1] = joinHeader(lower, raw[at + 1] ?? '', added);
  }
}

/** @throws TypeError for what is no list. */
function listOf(name: string, values: unknown): HeaderValue {
  if (!Array.isArray(values)) throw new TypeError(`The header ${name} must be a string or an array of strings.`);
  const list = values as string[];
  return name.toLowerCase() === 'set-cookie' ? [...list] : list.join(', ');
}

/** The value of a header that occurs twice: the second one, unless both are sent. */
function joinHeader(lower: string, earlier: HeaderValue, added: HeaderValue): HeaderValue {
  if (lower === 'set-cookie') return [earlier, added].flat();
  return lower === 'link' ? `${String(earlier)}, ${String(added)}` : added;
}

/** Comparing the lengths first is faster. */
function indexOfName(raw: readonly HeaderValue[], lower: string): number {
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    if (name.length === lower.length && name.toLowerCase() === lower) return at;
  }
  return -1;
}

/**
 * Writes the head of a response. What other middleware has set stays, unless the response has a header of that name, or
 * it describes another body. `Vary`, `Link` and `Set-Cookie` are joined. Versions of Node.js differ in how `writeHead`
 * joins headers with those that were set before, and all of them may send two lengths of a body.
 *
 * @throws Error for a header that cannot be sent; the response then has none of these headers.
 */
export function writeHead(response: ServerResponse, status: number, headers: HeaderValue[]): void {
  if (response.getHeaderNames().length > 0) {
    setHeaders(response, headers);
    response.writeHead(status);
    return;
  }
  try {
    response.writeHead(status, headers);
  } catch (error) {
    // If other middleware has removed its headers again, Node adds one after the other.
    for (let at = 0; at < headers.length; at += 2) response.removeHeader(headers[at] as string);
    throw error;
  }
}

/** The headers with which other middleware may have described a body that is not sent. */
const bodyHeaders = ['Transfer-Encoding', 'Content-Length', 'Trailer'];

/** Sets the headers of a response, without its head, as `writeHead` does. */
export function setHeaders(response: ServerResponse, headers: readonly HeaderValue[]): void {
  const names = headers.filter((_, index) => index % 2 === 0) as string[];
  const values = headers.filter((_, index) => index % 2 === 1);
  for (const [index, name] of names.entries()) {
    validateHeaderName(name);
    for (const value of [values[index] ?? ''].flat()) validateHeaderValue(name, value);
  }
  // Node sends no chunks after this header was removed, even if there was none.
  for (const name of bodyHeaders) if (response.hasHeader(name)) response.removeHeader(name);
  for (const [index, name] of names.entries()) mergeHeader(response, name, values[index] ?? '');
}

function mergeHeader(response: ServerResponse, name: string, value: HeaderValue): void {
  const lower = name.toLowerCase();
  const earlier = [response.getHeader(name) ?? []].flat().join(', ');
  if (lower === 'set-cookie') response.appendHeader(name, value);
  else if (lower === 'link' && earlier !== '') response.setHeader(name, `${earlier}, ${String(value)}`);
  else if (lower === 'vary' && earlier !== '') response.setHeader(name, joinNames(earlier, String(value)));
  else response.setHeader(name, value);
}

/** Both lists, with each name once. */
function joinNames(one: string, other: string): string {
  const names = `${one},${other}`.split(',').map((name) => name.trim());
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].join(', ');
}
