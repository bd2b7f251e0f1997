import type { Server } from 'node:http';
import { type Request, requestTo } from '@contract-server/testing/create-request.js';
import type { ResponseCheck } from '@contract-server/testing/create-response-check.js';
import supertest from 'supertest';

/** A server, and an API key for it. */
export interface ServerWithKey {
  readonly server: Server;
  readonly token: string;
}

/** Returns a function that sends requests with the key of a server; with `null`, without one. */
export function requestWithKey(check: ResponseCheck) {
  return (service: ServerWithKey, token: string | null = service.token): Request =>
    requestTo(service.server, check, supertest, token === null ? {} : { Authorization: `Bearer ${token}` });
}
