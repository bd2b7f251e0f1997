/** The hooks of a run of all tests, which fails until they have seen everything that the contract declares. */
import { coverageHooks } from '@contract-server/testing';
import { service } from '#src/service.js';
import { coverageDirectory } from './conduit.js';

export const { mochaGlobalSetup, mochaGlobalTeardown } = coverageHooks({
  contract: service.definition.contract,
  directory: coverageDirectory,
});
