/** Headers of the connection and of its messages (RFC 9110, sections 6.6.1 and 7.6.1). */
const ofMessages = new Set<string>([
  ...['connection', 'content-length', 'date', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Whether only the server may write a header of a response. @param lower its name in lower case. */
export function isServerHeader(lower: string): boolean {
  return ofMessages.has(lower) || lower.startsWith('proxy-');
}

/** Whether the server writes a header into every response with a body. @param lower its name in lower case. */
export function isAlwaysSent(lower: string): boolean {
  return isServerHeader(lower) || ['content-type', 'x-content-type-options', 'x-request-id'].includes(lower);
}

/** The headers that the server adds to every response of an operation with `deprecated: true`, in lower case. */
export const deprecationHeaders: readonly string[] = ['deprecation', 'sunset', 'link'];

/** The headers that the server adds to every response of an operation with rate limits, in lower case. */
export const rateLimitHeaders: readonly string[] = [
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
  ...['ratelimit-policy', 'ratelimit'],
];

/** Those of CORS and caching, and of middleware that compresses bodies. */
const ofMiddleware = /^(?:access-control-.*|cache-control|content-encoding|vary)$/;

/** Whether the server or middleware can add a header to the response of a handler. @param lower as above. */
export function isAddedLater(lower: string): boolean {
  const isListed = deprecationHeaders.includes(lower) || rateLimitHeaders.includes(lower);
  return isListed || isAlwaysSent(lower) || ofMiddleware.test(lower);
}
