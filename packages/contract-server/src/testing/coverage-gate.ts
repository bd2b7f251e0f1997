import { type Coverage, type CoverageExceptions, coverageOf } from './coverage.js';
import { finishRecording, startRecording } from './seen-responses.js';
import { type ContractLocation, contractUrlOf, loadTestedContract } from './tested-contract.js';

export interface CoverageOptions {
  /** The OpenAPI document: a URL, or a path relative to the working directory. */
  readonly contract: ContractLocation;
  readonly except?: CoverageExceptions;
  /**
   * Where the processes of a run write what they have seen. It is created and deleted. Default:
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
 * The coverage gate for mocha, parallel or not: the run fails until tests have seen every status, header and error code
 * that the contract declares. `--require` a file that exports the hooks, in runs of all tests:
 *
 *     export const { mochaGlobalSetup, mochaGlobalTeardown } = coverageHooks({ contract: 'spec/petstore.yaml' });
 */
export function coverageHooks(options: CoverageOptions): CoverageHooks {
  return {
    mochaGlobalSetup: () => startCoverage(options),
    mochaGlobalTeardown: () => requireCoverage(options),
  };
}

/** Begins to record what tests see, in every process of the run. Call it before the tests. */
export function startCoverage({ directory }: Pick<CoverageOptions, 'directory'> = {}): Promise<void> {
  return startRecording(directory);
}

/**
 * Prints what tests have seen since `startCoverage`. Call it after the tests.
 *
 * @throws Error if they have not seen everything, or if an exception is not needed.
 */
export async function requireCoverage(options: CoverageOptions): Promise<void> {
  const { summary, missing, staleExceptions } = await finishCoverage(options);
  console.log(summary);
  const problems = [
    ...listOf('No test has seen what the contract declares:', missing),
    ...listOf('Exceptions that are not needed:', staleExceptions),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Ends the recording, and returns what tests have seen. */
export async function finishCoverage({ contract, except = {}, directory }: CoverageOptions): Promise<Coverage> {
  const seen = await finishRecording(contractUrlOf(contract), directory);
  return coverageOf(await loadTestedContract(contract), seen, except);
}

function listOf(title: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [title, ...names.map((name) => `  ${name}`)];
}
