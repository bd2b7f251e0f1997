import { serversOf, type TestService as TestServiceOf } from '@contract-server/test-support/servers/test-server.js';
import type { PetStores } from '#src/pets/stores.js';
import { contract, definition } from '../pet-store.js';

export type TestService = TestServiceOf<PetStores>;

/** The service with its own contract. */
export const {
  startServer: startService,
  useServer: useService,
  useNewServer: useNewService,
} = serversOf(definition, contract);
