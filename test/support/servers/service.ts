import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { createService, type Service } from '#src/service/create-service.js';
import { serversWith, type TestServer } from './test-server.js';

export type TestService = Service & TestServer;

/** The service with its own contract. */
export const {
  startServer: startService,
  useServer: useService,
  useNewServer: useNewService,
} = serversWith(await readContract(contractUrl), createService);
