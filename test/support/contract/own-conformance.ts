import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { ReceivedResponse } from '../clients/raw-connection.js';
import { Conformance } from './conformance.js';
import { recordResponse } from './seen-responses.js';

const { document } = await readContract(contractUrl);
const conformance = await Conformance.of(document);

/** Fails unless the contract declares the response. Records it for the contract coverage. */
export function assertConforms(method: string, target: string, response: ReceivedResponse): void {
  const { declared, code } = conformance.check(method, target, response);
  if (declared !== undefined) recordResponse(declared, response.headers, code);
}

/** Validates a response of the mock server, which is not recorded. */
export function assertMockConforms(method: string, target: string, response: ReceivedResponse): void {
  conformance.check(method, target, response);
}
