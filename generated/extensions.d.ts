// Generated from spec/petstore.yaml by `npm run generate`. Not to be edited.
/** The status of each `Error.code`, from `x-error-codes`. */
export interface ErrorStatuses {
  readonly malformed_http: 400;
  readonly malformed_url: 400;
  readonly malformed_json: 400;
  readonly invalid_request: 400;
  readonly invalid_cursor: 400;
  readonly missing_api_key: 401;
  readonly invalid_api_key: 401;
  readonly route_not_found: 404;
  readonly pet_not_found: 404;
  readonly method_not_allowed: 405;
  readonly request_timeout: 408;
  readonly idempotency_key_in_flight: 409;
  readonly operation_removed: 410;
  readonly body_too_large: 413;
  readonly uri_too_long: 414;
  readonly unsupported_media_type: 415;
  readonly expectation_failed: 417;
  readonly idempotency_key_reused: 422;
  readonly rate_limit_exceeded: 429;
  readonly daily_quota_exceeded: 429;
  readonly api_key_banned: 429;
  readonly headers_too_large: 431;
  readonly internal_error: 500;
  readonly not_implemented: 501;
  readonly store_unavailable: 503;
  readonly server_busy: 503;
  readonly http_version_not_supported: 505;
  readonly not_ready: 503;
}

/** The names of the plans, from `x-rate-limit-plans`. */
export type PlanName = 'free' | 'pro' | 'business' | 'enterprise';

/** The environments of API keys, from `x-key-prefixes`. */
export type EnvironmentName = 'production' | 'staging';

/** The parameters and fields with a default, by operation. */
export interface Defaults {
  readonly listPets: { readonly query: 'limit'; readonly body: never };
  readonly createPet: { readonly query: never; readonly body: 'status' };
  readonly getPet: { readonly query: never; readonly body: never };
  readonly listOrders: { readonly query: never; readonly body: never };
}
