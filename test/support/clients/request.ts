import supertest, { type Test } from 'supertest';
import { assertConforms } from '../contract/conformance.js';
import type { TestService } from '../servers/service.js';
import type { ReceivedResponse } from './raw-connection.js';

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'propfind'] as const;
type Method = (typeof methods)[number];

/**
 * supertest for a running service, which validates every response against the contract. No path has `propfind`: OpenAPI
 * cannot describe it.
 */
export type Requester = Readonly<Record<Method, (target: string) => Test>>;

/** Requests with the key of the service; with `null`, without one. */
export function request(service: TestService, token: string | null = service.token): Requester {
  const agent = supertest(service.server);
  const send = (method: Method) => (target: string) => {
    const test = agent[method](target).expect((response) => {
      const { status, headers, text = '' } = response as Omit<ReceivedResponse, 'text'> & { readonly text?: string };
      assertConforms(method.toUpperCase(), target, { status, headers, text });
    });
    return token === null ? test : test.set('Authorization', `Bearer ${token}`);
  };
  return Object.fromEntries(methods.map((method) => [method, send(method)])) as Requester;
}
