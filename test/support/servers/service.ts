import { settingsOwner } from '#contract-server/service/definition.js';
import { type OpenService, openService } from '#contract-server/service/open-service.js';
import { serversWith, type TestServer } from '#contract-server-test/support/servers/test-server.js';
import type { PetStores } from '#src/pets/stores.js';
import { contract, definition } from '../pet-store.js';

export type TestService = OpenService<PetStores> & TestServer;

/** The service with its own contract. */
export const {
  startServer: startService,
  useServer: useService,
  useNewServer: useNewService,
} = serversWith(settingsOwner(definition), contract, (config, dependencies) =>
  openService(definition, config, dependencies),
);
