import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Context, Suite } from 'mocha';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { coverageOf, missingFrom } from './contract/coverage.js';
import { contractPage, contractSummary } from './contract/coverage-report.js';
import { seenResponses } from './contract/seen-responses.js';

const root = new URL('../../../', import.meta.url);
const testsUrl = new URL('build/test/', root);
const pageUrl = new URL('coverage/contract.html', root);

export const mochaHooks = {
  /** At the end of a full run: fails unless every declaration of the contract was seen in a real response. */
  async afterAll(this: Context): Promise<void> {
    const suite = this.test?.parent;
    if (suite === undefined || !(await isWhole(suite))) return;
    const coverage = coverageOf((await readContract(contractUrl)).document, seenResponses);
    await mkdir(new URL('.', pageUrl), { recursive: true });
    await writeFile(pageUrl, contractPage(coverage));
    console.log(contractSummary(coverage));
    const missing = missingFrom(coverage);
    if (missing.length > 0) throw new Error(`The contract declares what no test has seen:\n${missing.join('\n')}`);
  },
};

/**
 * Whether every file of the suite was loaded and every test ran: a run with a few files, or with --grep, is incomplete.
 */
async function isWhole(suite: Suite): Promise<boolean> {
  const files = (await readdir(testsUrl, { recursive: true })).filter((file) => file.endsWith('.test.js'));
  const missing = new Set(files.map((file) => fileURLToPath(new URL(file, testsUrl))));
  let isEveryTestDone = true;
  suite.eachTest((test) => {
    missing.delete(test.file ?? '');
    isEveryTestDone &&= test.state !== undefined || test.isPending();
  });
  return missing.size === 0 && isEveryTestDone;
}
