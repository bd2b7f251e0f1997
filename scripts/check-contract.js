import { ContractError } from '@contract-server/core/contract/contract-error.js';
import { buildContract } from '@contract-server/core/load/load-contract.js';

/**
 * A step of the build: checks the contract as a start would, so that starts need not. The result is bound to the
 * SHA-256 of its files: a file that changes afterwards is checked at every start.
 */
try {
  await buildContract({
    contract: new URL('../spec/petstore.yaml', import.meta.url),
    checkedContract: new URL('../dist/checked-contract.json', import.meta.url),
  });
} catch (error) {
  if (!(error instanceof ContractError)) throw error;
  console.error(error.message);
  process.exit(1);
}
