import { readContract } from '#src/contract/load/load-contract.js';

/** The contract that most tests serve. */
export const toysUrl = new URL('../../../../test/contract.yaml', import.meta.url);
export const toysContract = await readContract({ contract: toysUrl });
