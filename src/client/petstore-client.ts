import type { ClientOptions } from 'contract-server/client';
import { createClient, type PetstoreClient } from './create-client.js';

export type {
  Call,
  CallOptions,
  CallResult,
  ClientErrorCode,
  ClientHooks,
  ClientOptions as PetstoreClientOptions,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from 'contract-server/client';
export { stringifyJson as stringify } from 'contract-server/client';
export type { CreateOptions, ListQuery, NewPet, Pet, PetPage, PetStatus, PetstoreClient } from './create-client.js';
export type { PetstoreErrorCode, ServiceErrorCode } from './petstore-error.js';
export { isPetstoreError, PetstoreError } from './petstore-error.js';

/** Creates a client. @throws TypeError for a missing or invalid option. */
export function createPetstoreClient(options: ClientOptions): PetstoreClient {
  return createClient(options);
}
