import { contractOf } from '@contract-server/core/contract/contract.js';
import { Links } from '@contract-server/core/contract/links.js';
import type { Config } from '../config.js';
import { documents } from '../http/docs/documents.js';
import { declareErrors } from '../mock/declared-errors.js';
import { acceptAnyCredentials, createMockHandler, type Delay } from '../mock/mock-handler.js';
import { documentToMock } from '../mock/mocked-operation.js';
import { createMockedOperations } from '../mock/mocked-operations.js';
import { composeServer, type Dependencies } from './compose-server.js';

/**
 * Creates the mock server: the application of the service, in which all credentials are valid, nothing is limited, and
 * examples of the contract and samples of its schemas take the place of the handlers and the stores. It does not listen
 * yet.
 *
 * @param delay waits for `Prefer: wait`. Default: a timer.
 */
export function createMock(config: Config, dependencies: Dependencies, delay?: Delay) {
  const { document, deployment } = dependencies.contract;
  const contract = { ...contractOf(documentToMock(document)), deployment };
  // Removed operations are mocked until they leave the contract: no removal is due at the start of 1970.
  const clock = () => 0;
  const operations = createMockedOperations(contract);
  const links = new Links(contract, clock, config.publicBaseUrl);
  return composeServer(
    config,
    { ...dependencies, clock },
    {
      security: acceptAnyCredentials(contract),
      // Its callers have no quota, so their requests would count against the client address.
      skipAddressLimit: true,
      reference: { create: (served, codes) => Promise.resolve(documents(served, codes)) },
      apiContract: contract,
      links,
      handlers: {},
      ...(dependencies.errors === undefined && { declareError: declareErrors(operations) }),
      notImplemented: createMockHandler(contract, operations, links, delay),
    },
  );
}
