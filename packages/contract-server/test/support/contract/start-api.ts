import { type Api, createApi } from '#src/backend/create-api.js';
import { contractOf } from '#src/contract/contract.js';
import type { ContractDocument } from '#src/contract/document.js';
import { Links } from '#src/contract/links.js';
import type { AnyHandlers } from '#src/types/types.js';

import { smallContract } from './small-contract.js';

type Handler = () => Promise<unknown>;

/** An operation of each kind. */
export const document = smallContract;
export const handler: Handler = () => Promise.resolve({ status: 200 });

/** Creates an API from a document and handlers that do not conform to the types. */
export function startApi(source: unknown, registered: unknown = {}, validateResponses = false): Promise<Api> {
  const contract = contractOf(source as ContractDocument);
  return createApi({
    contract,
    links: new Links(contract, Date.now),
    handlers: registered as AnyHandlers,
    validateResponses,
    lifecycleHandlers: { notImplemented: () => 'not implemented' },
  });
}
