import { requestWithKey } from '@contract-server/test-support/clients/request-with-key.js';
import { assertConforms } from '../contract/own-conformance.js';

/** Requests to the service, whose responses count for the contract coverage. */
export const request = requestWithKey(assertConforms);
