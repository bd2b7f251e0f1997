import { createStrictCheck } from '@contract-server/test-support/contract/strict-check.js';
import { definition } from '../pet-store.js';

/** Fails unless the contract declares the response. Records it for the contract coverage. */
export const assertConforms = await createStrictCheck(definition.contract);

/** Validates a response of the mock server, which is not recorded. */
export const assertMockConforms = await createStrictCheck(definition.contract, { coverageDirectory: false });
