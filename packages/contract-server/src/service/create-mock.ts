import type { Config } from '../config.js';
import { Links } from '../contract/links.js';
import { documents } from '../http/docs/documents.js';
import { declareErrors } from '../mock/declared-errors.js';
import { acceptAnyCredentials, createMockHandler, type Delay } from '../mock/mock-handler.js';
import { contractToMock } from '../mock/mocked-operation.js';
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
  const document = contractToMock(dependencies.contract.document);
  // Removed operations are mocked until they leave the contract: no removal is due at the start of 1970.
  const clock = () => 0;
  const operations = createMockedOperations(document);
  const links = new Links(document, clock, config.publicBaseUrl);
  return composeServer(
    config,
    { ...dependencies, clock },
    {
      security: acceptAnyCredentials(document),
      // Its callers have no quota, so their requests would count against the client address.
      skipAddressLimit: true,
      reference: { create: (contract, codes) => Promise.resolve(documents(contract, codes)) },
      apiDocument: document,
      links,
      handlers: {},
      ...(dependencies.errors === undefined && { declareError: declareErrors(operations) }),
      notImplemented: createMockHandler(document, operations, links, delay),
    },
  );
}
