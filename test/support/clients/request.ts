import supertest, { type Test } from 'supertest';
import { assertConforms } from '../contract/conformance.js';
import type { TestService } from '../servers/service.js';

type Method = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options' | 'propfind';

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
      const headers = response.headers as Record<string, string>;
      const text: unknown = response.text;
      assertConforms(method.toUpperCase(), target, {
        status: response.status,
        headers,
        text: typeof text === 'string' ? text : '',
      });
    });
    return token === null ? test : test.set('Authorization', `Bearer ${token}`);
  };
  return {
    get: send('get'),
    head: send('head'),
    post: send('post'),
    put: send('put'),
    patch: send('patch'),
    delete: send('delete'),
    options: send('options'),
    propfind: send('propfind'),
  };
}
