import { isAlwaysSent } from '@contract-server/core/contract/server-headers.js';

/**
 * The headers that a response may have although the contract does not declare them, in lower case: those of HTTP, whose
 * meaning is the same in every API, those of CORS and of helmet, and those of contract-server. If the contract declares
 * one of them, its value is validated.
 */
export const standardHeaders: readonly string[] = [
  // RFC 9110 to 9112: the connection, the representation, caching, and what a status such as 401 or 405 requires.
  ...['alt-svc', 'connection', 'date', 'keep-alive', 'server', 'trailer', 'transfer-encoding', 'upgrade', 'via'],
  ...[
    'accept-ranges',
    'content-encoding',
    'content-length',
    'content-range',
    'content-type',
    'etag',
    'last-modified',
    'vary',
  ],
  ...['age', 'cache-control', 'expires'],
  ...['accept', 'accept-encoding', 'allow', 'retry-after', 'www-authenticate'],
  // CORS (Fetch standard, section 3.3.3).
  ...['access-control-allow-credentials', 'access-control-allow-headers', 'access-control-allow-methods'],
  ...['access-control-allow-origin', 'access-control-expose-headers', 'access-control-max-age'],
  // helmet 8, and what it removes.
  ...['content-security-policy', 'content-security-policy-report-only', 'cross-origin-embedder-policy'],
  ...['cross-origin-opener-policy', 'cross-origin-resource-policy', 'origin-agent-cluster', 'referrer-policy'],
  ...['strict-transport-security', 'x-content-type-options', 'x-dns-prefetch-control', 'x-download-options'],
  ...['x-frame-options', 'x-permitted-cross-domain-policies', 'x-powered-by', 'x-xss-protection'],
  ...['x-accel-buffering', 'x-request-id'],
];

/**
 * Whether a header counts for coverage: the server does not write it into every response.
 *
 * @param name in lower case. @param value as received; `undefined` for a declaration.
 */
export function isCovered(name: string, value?: unknown): boolean {
  // The value that contract-server sends unless a handler returns another one.
  const isDefault = name === 'cache-control' && value === 'no-store';
  return !isAlwaysSent(name) && !isDefault;
}
