import { readContract } from '@contract-server/core/load/load-contract.js';
import type { ApplicationStores, ServiceDefinition } from 'contract-server/service/definition.js';
import { serversOf } from './test-server.js';

/** Returns functions that start a service of `createService` on its own stores, as `serversWith` describes them. */
export async function serviceServers<Stores extends ApplicationStores>(definition: ServiceDefinition<Stores>) {
  return serversOf(definition, await readContract(definition));
}
