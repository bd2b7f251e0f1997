import { once } from 'node:events';
import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import type { Context } from 'openapi-backend';
import type { OperationEntry } from '#src/openapi/document.js';
import { request as requestTo } from '../../support/clients/request.js';
import { operations } from '../../support/contract/contract-requests.js';
import { closeService, startService, type TestService } from '../../support/servers/service.js';
import { createStock, type TriedRequest, tryBoth } from './both-backends.js';
import { namesOf } from './deviation.js';
import { corpus } from './request-corpus.js';

/** Differences of the HTTP responses, in addition to those of the two backends (differential.test.ts). */
const deviations: readonly { reason: string; concerns: (request: TriedRequest) => boolean }[] = [
  {
    reason: 'OPTIONS returns 204 with Allow for every path of the contract. openapi-backend returns 405.',
    concerns: ({ method }) => method === 'OPTIONS',
  },
  {
    reason:
      'Percent-encoded letters in a path are equivalent to the letters (RFC 3986, section 6.2.2.2). openapi-backend ' +
      'compares the path as it was sent.',
    concerns: ({ target }) => target.includes('/p%65ts'),
  },
  {
    reason: 'The path / redirects to the API reference.',
    concerns: ({ target }) => target === '/',
  },
  {
    reason: 'The other requests need the pet that the handler would delete.',
    concerns: ({ method, target }) => method === 'DELETE' && target.startsWith('/v1/pets/'),
  },
  {
    reason: 'The handler rejects a cursor that the service did not issue.',
    concerns: (request) => namesOf(request).includes('cursor'),
  },
  {
    reason: 'Node’s HTTP client sends no control characters in headers.',
    concerns: ({ idempotencyKey = '' }) => /[^\t\x20-\x7e\x80-\xff]/.test(idempotencyKey),
  },
];

describe('the served responses', function () {
  this.timeout(60_000);
  let service: TestService;
  let stock: Server;

  before(async () => {
    service = await startService({ TRUST_PROXY: '1' });
    await requestTo(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
    stock = await startStock();
    await once(stock.listen(0, '127.0.0.1'), 'listening');
  });

  after(async () => {
    stock.close();
    await closeService(service);
  });

  it('have the status codes of Express with openapi-backend, except for the listed differences', async () => {
    const unlisted: string[] = [];
    const statuses = new Set<number>();
    for (const request of corpus) {
      if (deviations.some(({ concerns }) => concerns(request)) || !(await haveOneResult(request))) continue;
      const ours = await statusOf(service.server, request, service.token);
      const theirs = await statusOf(stock, request, service.token);
      statuses.add(ours);
      if (ours !== theirs) unlisted.push(`${JSON.stringify(request)}: ${String(ours)}, stock ${String(theirs)}`);
    }
    expect(unlisted).to.deep.equal([]);
    expect([...statuses]).to.include.members([200, 201, 400, 401, 404, 405, 501]);
  });
});

/** Whether both backends handle a request alike. */
async function haveOneResult(request: TriedRequest): Promise<boolean> {
  const { ours, stock } = await tryBoth(request);
  return ours.kind === stock.kind;
}

/** The application without the parts that this service adds: its only pet has the id 1. */
async function startStock(): Promise<Server> {
  const status = (code: number) => (_context: Context, _request: Request, response: Response) =>
    response.status(code).end();
  const respond = (code: number) => (context: Context, request: Request, response: Response) => {
    const { petId = '1' } = context.request.params as { petId?: string };
    return status(petId === '1' ? code : 404)(context, request, response);
  };
  const api = await createStock(
    {
      ...Object.fromEntries(
        operations.map((entry) => [String(entry.operation.operationId), respond(successOf(entry))]),
      ),
      notFound: status(404),
      methodNotAllowed: status(405),
      unauthorizedHandler: status(401),
      validationFail: status(400),
      notImplemented: status(501),
    },
    (_context, { headers }: Request) => headers.authorization !== undefined,
  );
  const sendError: ErrorRequestHandler = (error: { status?: number }, _request, response, _next) => {
    response.status(error.status ?? 500).end();
  };
  const app = express();
  app.use(express.json());
  app.use((request, response) => {
    const { method, url, headers } = request;
    const body: unknown = request.body;
    // A copy: openapi-backend would coerce the getters of Express's request.
    return api.handleRequest(
      { method, path: url, headers: headers as Record<string, string>, body },
      request,
      response,
    );
  });
  app.use(sendError);
  return createServer(app);
}

/** The status of success, or 501 for a reserved operation. */
function successOf({ operation }: OperationEntry): number {
  return Number(Object.keys(operation.responses).find((status) => status.startsWith('2')) ?? 501);
}

/** Sends each request from another address, so that none is beyond the limit of an address. */
let addresses = 0;
async function statusOf(server: Server, tried: TriedRequest, token: string): Promise<number> {
  const { method, target, body, idempotencyKey, anonymous = false } = tried;
  addresses += 1;
  const headers = {
    'X-Forwarded-For': `10.0.${String(addresses >> 8)}.${String(addresses & 255)}`,
    ...(body !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    ...(!anonymous && { Authorization: `Bearer ${token}` }),
  };
  const { port } = server.address() as AddressInfo;
  const outgoing = send({ port, host: '127.0.0.1', method, path: target, headers });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
  response.resume();
  return response.statusCode;
}
