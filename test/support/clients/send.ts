export { type SentRequest, send, type TimedResponse } from '@contract-server/test-support/clients/send.js';
