import { type Api, createApi } from '#src/openapi/create-api.js';
import type { ContractDocument } from '#src/openapi/document.js';
import type { AnyHandlers } from '#src/openapi/types.js';

import { smallContract } from './small-contract.js';

type Handler = () => Promise<unknown>;

/** An operation of each kind. */
export const document = smallContract;
export const handler: Handler = () => Promise.resolve('handled');

/** Creates an API from a document and handlers that do not conform to the types. */
export function startApi(contract: unknown, registered: unknown = {}): Promise<Api> {
  return createApi({
    document: contract as ContractDocument,
    handlers: registered as AnyHandlers,
    lifecycleHandlers: { notImplemented: () => 'not implemented' },
  });
}
