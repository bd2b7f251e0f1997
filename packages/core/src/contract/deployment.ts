import type { ContractDocument } from './document.js';
import { basePathOf } from './servers.js';

/**
 * What the operator of an API decides, and its contract does not say. Each option has a default.
 *
 * A service can accept other spellings of a path (`trailingSlashes`, `caseSensitive`). Its middleware sees the spelling
 * of the contract, so a guard for a path also covers the others. A router redirects them to that spelling (308),
 * because guards of the application ahead of it may not match them.
 */
export interface Deployment {
  /**
   * The path prefix of the API, such as `/v2`; `''` for none. It replaces that of the contract's `servers`. Paths and
   * operations with servers of their own keep theirs.
   */
  readonly prefix?: string | undefined;
  /** The limits of request bodies that the contract does not limit. */
  readonly limits?: BodyLimits | undefined;
  /** Default: `reject`. Those that are ignored do not reach handlers. */
  readonly unknownQueryParameters?: 'reject' | 'ignore' | undefined;
  /** `X-RateLimit-*`, the `RateLimit` and `RateLimit-Policy` of the IETF draft, or both. Default: `both`. */
  readonly rateLimitHeaders?: RateLimitFamily | undefined;
  /**
   * `ignore`: a path with or without a trailing slash is that of the contract. Default: `strict`. A client that sends
   * an empty last parameter then calls the collection: `DELETE /books/` is `DELETE /books`.
   */
  readonly trailingSlashes?: 'strict' | 'ignore' | undefined;
  /** `false`: upper and lower case of the text in paths are equal. Default: `true` (RFC 3986, section 6.2.2.1). */
  readonly caseSensitive?: boolean | undefined;
  /** Whether bodies can have `Content-Encoding: gzip`. Their limits apply before and after. Default: `false`. */
  readonly gzipBodies?: boolean | undefined;
}

export type RateLimitFamily = 'both' | 'x-ratelimit' | 'draft';

export interface BodyLimits {
  /** In place of `x-max-body-bytes`. Default: 64 KiB, and 1 MiB with files. */
  readonly bodyBytes?: number | undefined;
  /** In place of `x-max-body-values`. Default: 1,000. */
  readonly bodyValues?: number | undefined;
}

/** Replaces the servers of a document, in place. @returns whether its path prefix is another one. */
export function replacePrefix(document: ContractDocument, prefix: string | undefined): boolean {
  if (prefix === undefined || prefix === basePathOf(document)) return false;
  Object.assign(document, { servers: [{ url: prefix === '' ? '/' : prefix }] });
  return true;
}
