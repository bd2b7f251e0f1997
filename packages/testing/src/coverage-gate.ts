import { contractPlaceOf } from '@contract-server/core/load/load-contract.js';
import { type Coverage, type CoverageExceptions, coverageOf } from './coverage.js';
import { finishRecording, startRecording } from './seen-responses.js';
import { loadTestedContract, type TestedContractOptions } from './tested-contract.js';

export interface CoverageOptions extends TestedContractOptions {
  readonly except?: CoverageExceptions;
  /**
   * Where the processes of a run record responses. It is created and deleted. Default:
   * `node_modules/.cache/contract-server/seen-responses` in the working directory.
   */
  readonly directory?: string;
}

/** The global fixtures of mocha, which its main process runs. */
export interface CoverageHooks {
  readonly mochaGlobalSetup: () => Promise<void>;
  readonly mochaGlobalTeardown: () => Promise<void>;
}

/**
 * The coverage gate for mocha, parallel or not. A run fails until tests cover every status, header and error code that
 * the contract declares, except headers that the server writes by itself, such as `Date`. In runs of all tests,
 * `--require` a file that exports the hooks:
 *
 *     export const { mochaGlobalSetup, mochaGlobalTeardown } = coverageHooks({ contract: 'spec/petstore.yaml' });
 */
export function coverageHooks(options: CoverageOptions): CoverageHooks {
  return {
    mochaGlobalSetup: () => startCoverage(options),
    mochaGlobalTeardown: () => requireCoverage(options).catch(failRun),
  };
}

/**
 * Fails a run of mocha. Without `--parallel`, mocha ignores an error of a global teardown, and then also failed tests.
 * It sets its exit code in a listener that it registers after the teardown, or passes it to `process.exit`.
 */
function failRun(error: unknown): void {
  console.error(String(error));
  const fail = () => (process.exitCode ||= 1);
  process.once('exit', fail);
  setImmediate(() => process.once('exit', fail));
}

/** Starts recording which responses tests receive, in every process of the run. Call it before the tests. */
export function startCoverage({ directory }: Pick<CoverageOptions, 'directory'> = {}): Promise<void> {
  return startRecording(directory);
}

/**
 * Prints how much of the contract tests have covered since `startCoverage`. Call it after the tests.
 *
 * @throws Error if they have not covered everything, or if an exception is not needed.
 */
export async function requireCoverage(options: CoverageOptions): Promise<void> {
  const { summary, missing, staleExceptions } = await finishCoverage(options);
  console.log(summary);
  const problems = [
    ...listOf('Declared in the contract, but not covered by tests:', missing),
    ...listOf('Exceptions that are not needed:', staleExceptions),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Stops recording, and returns what tests have covered. */
export async function finishCoverage({ except = {}, directory, ...tested }: CoverageOptions): Promise<Coverage> {
  const seen = await finishRecording(contractPlaceOf(tested.contract).contract.href, directory);
  return coverageOf(await loadTestedContract(tested), seen, except);
}

function listOf(title: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [title, ...names.map((name) => `  ${name}`)];
}
