// Generated from spec/petstore.yaml by `npm run generate`. Not to be edited.
/** The version of the contract, from `info.version`. */
export type ContractVersion = '1.0.0';

/** The path prefix of every operation, from `servers`. */
export type PathPrefix = '/v1';

/** The status of each `Error.code`, from `x-error-codes`. */
export interface ErrorStatuses {
  /** The request is not valid HTTP/1.1, or it is ambiguous, for example without `Host` or with two lengths. Use an HTTP library instead of a raw socket. The connection is closed. */
  readonly malformed_http: 400;
  /** The path or the query has a percent sign without two hexadecimal digits, or bytes that are not UTF-8. Percent-encode reserved characters. A literal percent sign is `%25`. */
  readonly malformed_url: 400;
  /** The body is not UTF-8 or not JSON, repeats a field name, is nested too deeply, has over 1,000 values, or has a number beyond the range of a double. The message describes the first error, with its position in JSON. Create the body with a JSON library. */
  readonly malformed_json: 400;
  /** A parameter or field is missing, unknown, repeated or invalid, or the query has over 100 parameters. The message names each invalid parameter or field and the values it allows. */
  readonly invalid_request: 400;
  /** The cursor was not issued by this service, or was issued for a different `status` filter. Request the first page without a cursor, and follow the `next` links unchanged. */
  readonly invalid_cursor: 400;
  /** The request has no `Authorization` header with the Bearer scheme. Send `Authorization: Bearer <API_KEY>`. */
  readonly missing_api_key: 401;
  /** The API key is incomplete, unknown, expired or revoked, or belongs to the other environment. Check that the key is complete and belongs to this environment, or request a new one from the operator. */
  readonly invalid_api_key: 401;
  /** No route matches the path. Compare the path with the API reference. Paths begin with `/v1` and have no trailing slash. */
  readonly route_not_found: 404;
  /** No pet has this `id`. List the pets to find existing ids. */
  readonly pet_not_found: 404;
  /** The path exists, but does not support this method. Use one of the methods in the `Allow` header. */
  readonly method_not_allowed: 405;
  /** The request was not received completely in time. Send the request again, without pauses. */
  readonly request_timeout: 408;
  /** Another request with the same `Idempotency-Key` is in progress. Retry after `Retry-After` seconds. If the other request succeeded, the retry returns its response. */
  readonly idempotency_key_in_flight: 409;
  /** The operation was deprecated, and its announced removal date has passed. Use the operation that the `successor-version` link points to. */
  readonly operation_removed: 410;
  /** The body exceeds `x-max-body-bytes` of the operation. Send one pet per request. For bulk imports, contact the operator. */
  readonly body_too_large: 413;
  /** The request target (path and query) is longer than 8,000 bytes. Send fewer or shorter query parameters. */
  readonly uri_too_long: 414;
  /** The `Content-Type` is not `application/json`, its charset is not UTF-8, or the body is compressed. Send `Content-Type: application/json`, without `Content-Encoding`. */
  readonly unsupported_media_type: 415;
  /** The `Expect` header has a value other than `100-continue`. Remove the header, or send `Expect: 100-continue`. */
  readonly expectation_failed: 417;
  /** The `Idempotency-Key` was already used with a body that differs in at least one byte. Repeat the original body exactly, or use a new `Idempotency-Key` for each pet. */
  readonly idempotency_key_reused: 422;
  /** The quota of the current minute is used up, for the API key or, without a valid key, for the client address. Retry after `Retry-After` seconds, and spread your requests. */
  readonly rate_limit_exceeded: 429;
  /** The quota of the current day is used up. The day starts with its first request. Retry after `Retry-After` seconds, or request a larger plan from the operator. */
  readonly daily_quota_exceeded: 429;
  /** The client ignored 429 responses, and sent many more requests than the limit within a minute. Stop sending requests until `Retry-After` seconds have passed, and implement back-off. */
  readonly api_key_banned: 429;
  /** The headers exceed 100 lines or 16,384 bytes, or the request target is too long to be read. Send fewer or shorter headers and query parameters. */
  readonly headers_too_large: 431;
  /** The service has a defect. Retry later. If the error persists, report the `X-Request-Id` of the response to the operator. */
  readonly internal_error: 500;
  /** The operation is reserved, or the request uses CONNECT or a transfer coding other than `chunked`. Do not call the operation yet, or remove the unsupported feature. */
  readonly not_implemented: 501;
  /** The storage of the service is unavailable. Retry after `Retry-After` seconds. */
  readonly store_unavailable: 503;
  /** The server is overloaded. It already processes its maximum number of requests. Retry after `Retry-After` seconds, and back off if it happens again. */
  readonly server_busy: 503;
  /** The readiness check (`/readyz`) failed: the server is stopping, or its storage is unavailable. Send requests to another server until the check returns 200. */
  readonly not_ready: 503;
}

/** The names of the plans, from `x-rate-limit-plans`. */
export type PlanName = 'free' | 'pro' | 'business' | 'enterprise';

/** The environments of API keys, from `x-key-prefixes`. */
export type EnvironmentName = 'production' | 'staging';

/** The parameters and fields with a default, by operation. */
export interface Defaults {
  readonly listPets: { readonly query: 'limit'; readonly header: never; readonly body: never };
  readonly createPet: { readonly query: never; readonly header: never; readonly body: 'status' };
  readonly getPet: { readonly query: never; readonly header: never; readonly body: never };
  readonly listOrders: { readonly query: never; readonly header: never; readonly body: never };
}
