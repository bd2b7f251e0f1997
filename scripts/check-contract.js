import { ContractError } from '../dist/openapi/contract-error.js';
import { buildContract, contractUrl } from '../dist/openapi/load-contract.js';

/**
 * A step of the build: checks the contract as a start would, so that starts need not. The result is bound to the
 * SHA-256 of its files: a file that changes afterwards is checked at every start.
 */
try {
  await buildContract(contractUrl);
} catch (error) {
  if (!(error instanceof ContractError)) throw error;
  console.error(error.message);
  process.exit(1);
}
