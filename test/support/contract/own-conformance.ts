import type { ReceivedResponse } from '#contract-server-test/support/clients/raw-connection.js';
import { Conformance } from '#contract-server-test/support/contract/conformance.js';
import { recordResponse } from '#contract-server-test/support/contract/seen-responses.js';
import { contract } from '../pet-store.js';

const { document } = contract;
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
