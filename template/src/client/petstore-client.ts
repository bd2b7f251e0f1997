import { createClient, type PetstoreClient } from './create-client.js';
import type { PetstoreClientOptions } from './options.js';
import { systemTime } from './retrying-fetch.js';

export type { Book, ListQuery, NewBook, PetstoreClient } from './create-client.js';
export { stringifyJson as stringify } from './exact-json.js';
export type { ClientHooks, PetstoreClientOptions, RequestEvent, ResponseEvent, RetryEvent } from './options.js';
export type { ClientErrorCode, PetstoreErrorCode, ServiceErrorCode } from './petstore-error.js';
export { isPetstoreError, PetstoreError } from './petstore-error.js';
export type { Call, CallOptions, CallResult } from './request.js';

/** Creates a client. @throws TypeError for a missing or invalid option. */
export function createPetstoreClient(options: PetstoreClientOptions): PetstoreClient {
  return createClient(options, systemTime);
}
