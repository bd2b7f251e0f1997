import type * as runtime from '@contract-server/client';
import { createClient, type PetstoreClient, type PetstoreClientOptions } from './create-client.js';
import type { PetstoreError } from './petstore-error.js';

export type {
  Call,
  CallOptions,
  CallResult,
  ClientErrorCode,
  RequestEvent,
} from '@contract-server/client';
export { stringifyJson as stringify } from '@contract-server/client';
export type {
  CreateOptions,
  ListQuery,
  NewPet,
  Pet,
  PetPage,
  PetStatus,
  PetstoreClient,
  PetstoreClientOptions,
} from './create-client.js';
export type { PetstoreErrorCode, ServiceErrorCode } from './petstore-error.js';
export { isPetstoreError, PetstoreError } from './petstore-error.js';

export type ClientHooks = runtime.ClientHooks<PetstoreError>;
export type ResponseEvent = runtime.ResponseEvent<PetstoreError>;
export type RetryEvent = runtime.RetryEvent<PetstoreError>;

/** Creates a client. @throws TypeError for a missing or invalid option. */
export function createPetstoreClient(options: PetstoreClientOptions): PetstoreClient {
  return createClient(options);
}
