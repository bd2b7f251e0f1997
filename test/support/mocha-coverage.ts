/** The hooks of a run of the whole suite: the coverage of the contract by all worker processes. */
import { mkdir, writeFile } from 'node:fs/promises';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { coverageOf, missingFrom } from './contract/coverage.js';
import { contractPage, contractSummary } from './contract/coverage-report.js';
import { clearSeenResponses, readSeenResponses, writeSeenResponses } from './contract/seen-responses.js';

const pageUrl = new URL('../../../coverage/contract.html', import.meta.url);

export const mochaHooks = {
  /** Runs after each file, in its worker. */
  afterAll: writeSeenResponses,
};

/** Runs once, in the main process. */
export const mochaGlobalSetup = clearSeenResponses;

/** Fails unless every declaration of the contract was seen in a real response. */
export async function mochaGlobalTeardown(): Promise<void> {
  const coverage = coverageOf((await readContract(contractUrl)).document, await readSeenResponses());
  await mkdir(new URL('.', pageUrl), { recursive: true });
  await writeFile(pageUrl, contractPage(coverage));
  console.log(contractSummary(coverage));
  const missing = missingFrom(coverage);
  if (missing.length > 0) throw new Error(`The contract declares what no test has seen:\n${missing.join('\n')}`);
}
