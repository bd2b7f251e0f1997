import { type Api, createApi } from '#src/openapi/create-api.js';
import type { ContractDocument } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { Handlers } from '#src/openapi/types.js';

type Handler = () => Promise<unknown>;

export const { document } = await readContract(contractUrl);
export const handler: Handler = () => Promise.resolve('handled');

/** Creates an API from a document and handlers that do not conform to the types. */
export function startApi(contract: unknown, registered: unknown = {}): Promise<Api> {
  return createApi({
    document: contract as ContractDocument,
    handlers: registered as Handlers,
    lifecycleHandlers: { notImplemented: () => 'not implemented' },
  });
}
