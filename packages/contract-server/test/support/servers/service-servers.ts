import { readContract } from '#src/contract/load/load-contract.js';
import { type ApplicationStores, type ServiceDefinition, settingsOwner } from '#src/service/definition.js';
import { openService } from '#src/service/open-service.js';
import { serversWith } from './test-server.js';

/** Returns functions that start a service of `createService` on its own stores, as `serversWith` describes them. */
export async function serviceServers<Stores extends ApplicationStores>(definition: ServiceDefinition<Stores>) {
  return serversWith(settingsOwner(definition), await readContract(definition), (config, dependencies) =>
    openService(definition, config, dependencies),
  );
}
