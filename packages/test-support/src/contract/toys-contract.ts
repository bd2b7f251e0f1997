import { readContract } from '@contract-server/core/load/load-contract.js';

/** The contract that most tests serve. */
export const toysUrl = new URL('../../src/toys/contract.yaml', import.meta.url);
export const toysContract = await readContract({ contract: toysUrl });
