/** The hooks of a run of the whole suite: the coverage of the contract by all worker processes. */
import { coverageHooks } from '@contract-server/testing';
import { definition } from './pet-store.js';

export const { mochaGlobalSetup, mochaGlobalTeardown } = coverageHooks({ contract: definition.contract });
