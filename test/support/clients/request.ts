import { assertConforms } from '../contract/own-conformance.js';
import { createRequest } from './requester.js';

/** Requests to the service, whose responses are recorded for the contract coverage. */
export const request = createRequest(assertConforms);
