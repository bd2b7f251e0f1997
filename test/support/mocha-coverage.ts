/** The hooks of a run of the whole suite: the coverage of the contract by all worker processes. */

import {
  clearSeenResponses,
  readSeenResponses,
  writeSeenResponses,
} from '#contract-server-test/support/contract/seen-responses.js';
import { contractSummary, missingFrom } from './contract/coverage.js';
import { contract } from './pet-store.js';

export const mochaHooks = {
  /** Runs after each file, in its worker. */
  afterAll: writeSeenResponses,
};

/** Runs once, in the main process. */
export const mochaGlobalSetup = clearSeenResponses;

/** Fails unless every declaration of the contract was seen in a real response. */
export async function mochaGlobalTeardown(): Promise<void> {
  const { document } = contract;
  const seen = await readSeenResponses();
  console.log(contractSummary(document, seen));
  const missing = missingFrom(document, seen);
  if (missing.length > 0) throw new Error(`The contract declares what no test has seen:\n${missing.join('\n')}`);
}
