import type { RequestState } from 'contract-server/backend/adapt-handlers.js';
import { pino } from 'pino';

/** The state of an authorized request that needs no caller, with these parts. */
export function requestState(parts: Partial<RequestState> & Pick<RequestState, 'match'>): RequestState {
  return {
    id: 'request_a',
    requirement: [],
    identities: [],
    quota: undefined,
    body: { bytes: Buffer.of(), rule: undefined, files: [] },
    logger: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    lastEventId: undefined,
    readAccept: () => undefined,
    clientAddress: '192.0.2.1',
    validated: undefined,
    ...parts,
  };
}
