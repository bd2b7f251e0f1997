import { createRequest } from '#contract-server-test/support/clients/requester.js';
import { assertConforms } from '../contract/own-conformance.js';

/** Requests to the service, whose responses are recorded for the contract coverage. */
export const request = createRequest(assertConforms);
