import type { Server } from 'node:http';
import supertest, { type Test } from 'supertest';
import type { ReceivedResponse } from './raw-connection.js';

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'propfind'] as const;
type Method = (typeof methods)[number];

/** A server with a contract, and an API key for it. */
export interface RequestedService {
  readonly server: Server;
  readonly token: string;
}

/**
 * supertest for a running service, which validates every response against the contract. No path has `propfind`: OpenAPI
 * cannot describe it.
 */
export type Requester = Readonly<Record<Method, (target: string) => Test>>;

/** Returns a function that sends requests with the key of the service; with `null`, without one. */
export function createRequest(check: (method: string, target: string, response: ReceivedResponse) => unknown) {
  return (service: RequestedService, token: string | null = service.token): Requester => {
    const agent = supertest(service.server);
    const send = (method: Method) => (target: string) => {
      const test = agent[method](target).expect((response) => {
        const { status, headers, text = '' } = response as Omit<ReceivedResponse, 'text'> & { readonly text?: string };
        check(method.toUpperCase(), target, { status, headers, text });
      });
      return token === null ? test : test.set('Authorization', `Bearer ${token}`);
    };
    return Object.fromEntries(methods.map((method) => [method, send(method)])) as Requester;
  };
}
