import { toysContract } from '../contract/toys-contract.js';
import { service } from '../toys/toys-service.js';
import { serversOf } from './test-server.js';

/** The service of the toys with all its parts; `toys.ts` composes the modules without it. */
export const {
  startServer: startService,
  useServer: useService,
  useNewServer: useNewService,
} = serversOf(service.definition, toysContract);
