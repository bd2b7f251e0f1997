import { coverageHooks } from '@contract-server/testing';

/** The run fails until tests have seen every status, header and error code that the contract declares. */
export const { mochaGlobalSetup, mochaGlobalTeardown } = coverageHooks({ contract: 'spec/my-service.yaml' });
