// Generated from test/second-contract/contract.yaml by `npm run generate`. Not to be edited.
/** The status of each `Error.code`, from `x-error-codes`. */
export interface ErrorStatuses {
  readonly malformed_http: 400;
  readonly malformed_url: 400;
  readonly malformed_json: 400;
  readonly invalid_request: 400;
  readonly missing_api_key: 401;
  readonly invalid_api_key: 401;
  readonly route_not_found: 404;
  readonly book_not_found: 404;
  readonly method_not_allowed: 405;
  readonly request_timeout: 408;
  readonly book_exists: 409;
  readonly operation_removed: 410;
  readonly body_too_large: 413;
  readonly uri_too_long: 414;
  readonly unsupported_media_type: 415;
  readonly expectation_failed: 417;
  readonly rate_limit_exceeded: 429;
  readonly daily_quota_exceeded: 429;
  readonly api_key_banned: 429;
  readonly headers_too_large: 431;
  readonly internal_error: 500;
  readonly not_implemented: 501;
  readonly store_unavailable: 503;
  readonly server_busy: 503;
  readonly not_ready: 503;
  readonly http_version_not_supported: 505;
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
