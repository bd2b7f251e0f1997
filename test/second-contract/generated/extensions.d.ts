// Generated from test/second-contract/contract.yaml by `npm run generate`. Not to be edited.
/** The version of the contract, from `info.version`. */
export type ContractVersion = '2.1.0';

/** The path prefix of every operation: the relative URL of `servers`. */
export type PathPrefix = '/api/v2';

/** The status of each `Error.code`, from `x-error-codes`. */
export interface ErrorStatuses {
  /** The request is not HTTP. Use an HTTP library. */
  readonly malformed_http: 400;
  /** The URL cannot be decoded. Encode it. */
  readonly malformed_url: 400;
  /** The body is not JSON. Send JSON. */
  readonly malformed_json: 400;
  /** A value is not allowed. The message names it. */
  readonly invalid_request: 400;
  /** There is no API key. Send it. */
  readonly missing_api_key: 401;
  /** The API key is not valid. Request one from the librarian. */
  readonly invalid_api_key: 401;
  /** There is no such path. See /docs. */
  readonly route_not_found: 404;
  /** There is no such book. Search for it. */
  readonly book_not_found: 404;
  /** The path does not have the method. See Allow. */
  readonly method_not_allowed: 405;
  /** The request took too long. Send it again. */
  readonly request_timeout: 408;
  /** There is a book with this ISBN. Replace it. */
  readonly book_exists: 409;
  /** The operation was removed. Use its successor. */
  readonly operation_removed: 410;
  /** The body is too large. Send less. */
  readonly body_too_large: 413;
  /** The URL is too long. Send a shorter one. */
  readonly uri_too_long: 414;
  /** The body is not JSON. Send JSON. */
  readonly unsupported_media_type: 415;
  /** The expectation is not supported. Send none. */
  readonly expectation_failed: 417;
  /** There are too many requests in a minute. Wait. */
  readonly rate_limit_exceeded: 429;
  /** There are too many requests in a day. Wait. */
  readonly daily_quota_exceeded: 429;
  /** The key is banned. Wait. */
  readonly api_key_banned: 429;
  /** The headers are too large. Send fewer. */
  readonly headers_too_large: 431;
  /** The server failed. Try again. */
  readonly internal_error: 500;
  /** The operation is reserved. Do not call it. */
  readonly not_implemented: 501;
  /** The storage does not respond. Try again. */
  readonly store_unavailable: 503;
  /** The server is overloaded. Try again. */
  readonly server_busy: 503;
  /** The server is starting or stopping. Try again. */
  readonly not_ready: 503;
  /**  */
  readonly invalid_cursor: 400;
}

/** The names of the plans, from `x-rate-limit-plans`. */
export type PlanName = 'reader' | 'staff';

/** The environments of API keys, from `x-key-prefixes`. */
export type EnvironmentName = 'production';

/** The parameters and fields with a default, by operation. */
export interface Defaults {
  readonly searchBooks: { readonly query: 'order'; readonly body: never };
  readonly addBook: { readonly query: never; readonly body: 'year' };
  readonly getBook: { readonly query: never; readonly body: never };
  readonly replaceBook: { readonly query: never; readonly body: 'year' };
  readonly changeBook: { readonly query: never; readonly body: never };
  readonly removeBook: { readonly query: never; readonly body: never };
  readonly getLoan: { readonly query: never; readonly body: never };
  readonly getCatalogueCard: { readonly query: never; readonly body: never };
  readonly takeInventory: { readonly query: never; readonly body: never };
}
