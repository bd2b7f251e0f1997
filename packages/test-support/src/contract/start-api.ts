import { contractOf } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { Links } from '@contract-server/core/contract/links.js';
import type { AnyHandlers } from '@contract-server/core/types/types.js';
import { type Api, createApi } from 'contract-server/backend/create-api.js';

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
