import type { RequestListener, Server } from 'node:http';
import { isText } from '@contract-server/core/contract/media-types.js';
import type { Response, SuperTestStatic, Test } from 'supertest';
import { createResponseCheck, type ResponseCheck, type ResponseCheckOptions } from './create-response-check.js';

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace', 'propfind'] as const;
type Method = (typeof methods)[number];

/**
 * supertest, which checks every response against the contract: `await request.get('/v1/pets/1').expect(404)`. OpenAPI
 * cannot declare `propfind`, so it is a method that no path has.
 */
export type Request = Readonly<Record<Method, (target: string) => Test>>;

export interface RequestOptions extends ResponseCheckOptions {
  /** A server, an Express application, or the origin of a running server. */
  readonly server: TestedServer;
  /** Are sent with every request, unless the test sets others. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP server, also one that does not listen; an Express application, for which supertest creates a plain one. */
export type TestedServer = Server | RequestListener | string;

/**
 * Creates supertest for a server, whose every response is checked against the contract. Needs the package `supertest`.
 *
 * @throws ContractError
 */
export async function createRequest({ server, headers, ...options }: RequestOptions): Promise<Request> {
  const { default: supertest } = await import('supertest');
  return requestTo(server, await createResponseCheck(options), supertest, headers);
}

/** @param headers are sent with every request. */
export function requestTo(
  server: TestedServer,
  check: ResponseCheck,
  supertest: SuperTestStatic,
  headers: Readonly<Record<string, string>> = {},
): Request {
  const agent = supertest(server);
  const send = (method: Method) => (target: string) =>
    agent[method](target)
      .set(headers)
      .expect((response) => check(method.toUpperCase(), target, receivedFrom(response)));
  return Object.fromEntries(methods.map((method) => [method, send(method)])) as Request;
}

/** superagent has no text for media types other than `text/*` and JSON. */
function receivedFrom({ status, headers, text, body, type }: Response) {
  const bytes: unknown = body;
  const received = text as string | undefined;
  return {
    status,
    headers: headers as Readonly<Record<string, string | string[]>>,
    text: received ?? (Buffer.isBuffer(bytes) ? bytes.toString(isText(type) ? 'utf8' : 'latin1') : ''),
  };
}
