import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { ApiError } from '@contract-server/core/lib/errors.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { toysContract } from '@contract-server/test-support/contract/toys-contract.js';
import { startComposed, validKey } from '@contract-server/test-support/servers/composed.js';
import { expect } from 'chai';
import compression from 'compression';
import express, { type Response } from 'express';
import morgan from 'morgan';
import supertest from 'supertest';
import { prepareDocument, sendDocument } from '#src/http/docs/documents.js';
import { listen } from '#src/http/wire/server.js';
import type { ServerParts } from '#src/service/compose-server.js';

const { document: contract } = toysContract;
const operation = (operationId: string) => ({ operationId, responses: { 200: { description: 'Done.' } } });
const requestBody = { content: { 'application/json': { schema: { type: 'object' } } } };
const paths = {
  '/things': { get: operation('listThings'), post: { ...operation('createThing'), requestBody } },
  '/things/1': { get: operation('getThing') },
};
const document = { ...contract, paths } as unknown as ContractDocument;
const things = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, name: 'Rex' })));

/** An error with a status; http-errors creates it with `expose`. */
const httpError = (status: number, properties: object = {}) =>
  Object.assign(new Error('secret'), { status, ...properties });
const teapot = httpError(418, { expose: true, message: 'I am a teapot.', headers: { 'X-Pot': 'tea' } });
const upstream = httpError(401);
const internal = [500, 'internal_error', 'The server failed to process the request. Retry later.'] as const;
const errors: readonly (readonly [error: unknown, status: number, code: string, message: string])[] = [
  [teapot, 418, 'i_m_a_teapot', 'I am a teapot.'],
  [upstream, 401, 'unauthorized', 'Unauthorized.'],
  [{ statusCode: 409 }, 409, 'conflict', 'Conflict.'],
  [httpError(503, { expose: true }), 503, 'service_unavailable', 'Service Unavailable.'],
  [new ApiError('route_not_found', 'There is no thing.'), 404, 'route_not_found', 'There is no thing.'],
  [new Error('secret'), ...internal],
  [httpError(500), ...internal],
  [httpError(200), ...internal],
];

describe('Express around the API', () => {
  const logged: string[] = [];
  let slow: (response: Response) => void;
  const slowResponse = new Promise<Response>((resolve) => (slow = resolve));
  const router = express.Router();
  router.post('/echo', express.json({ limit: 100 }), ({ body }, response) => void response.status(201).json(body));
  router.get('/slow', (_request, response) => slow(response));
  router.get('/partial', (_request, response) => {
    response.write('partial');
    throw new Error('late');
  });
  router.get('/errors/:index', ({ params }, response) => {
    response.set({ ETag: '"1"', 'Content-Encoding': 'br' });
    throw errors[Number(params.index)]?.[0];
  });
  const maintenance = express.Router();
  maintenance.use((_request, response, next) => {
    response.cookie('session', '1');
    next();
  });
  maintenance.get('/v1/closed', () => {
    throw teapot;
  });
  maintenance.get('/v1/moved', (_request, response) => response.redirect('/v1/things'));

  const start = (around: Pick<ServerParts, 'middleware' | 'routes'>) => {
    const handlers = {
      listThings: () => Promise.resolve({ status: 200, body: things }),
      createThing: () => Promise.reject(teapot),
      getThing: () => Promise.reject(upstream),
    };
    return startComposed({ document, handlers, security: validKey(document, 'apiKey'), ...around });
  };
  let service: Awaited<ReturnType<typeof start>>;
  before(async () => {
    const log = morgan(':method :url :status :res[x-request-id]', { stream: { write: (line) => logged.push(line) } });
    service = await start({ middleware: [log, compression(), maintenance], routes: [router] });
  });
  beforeEach(() => service.reported.splice(0));
  const send = (method: 'get' | 'post', path: string) =>
    supertest(service.server)[method](path).set({ Authorization: 'Bearer valid', 'X-Request-Id': 'mine' });

  for (const [path, status, isLimited] of [
    ['/v1/things', 200, true],
    ['/v1/nothing', 404, true],
    ['/v1/closed', 418, true],
    ['/v1/moved', 302, false],
    ['/errors/0', 418, false],
    ['/healthz', 200, false],
    ['/nothing', 404, false],
  ] as const)
    it(`adds the headers of the service and of middleware to the ${String(status)} of ${path}, and logs it`, async () => {
      logged.length = 0;
      const { headers, text } = await send('get', path).expect(status);
      expect(headers).to.include({ 'x-request-id': 'mine', 'x-content-type-options': 'nosniff' });
      expect(headers['set-cookie']).to.deep.equal(['session=1; Path=/']);
      expect('x-ratelimit-limit' in headers).to.equal(isLimited);
      expect(logged).to.deep.equal([`GET ${path} ${String(status)} mine\n`]);
      if (path === '/v1/things') expect([headers['content-encoding'], text]).to.deep.equal(['gzip', things]);
    });

  errors.forEach(([error, status, code, message], index) =>
    it(`returns ${String(status)} ${code} for a route that throws ${String(error)} (${String(index)})`, async () => {
      const response = await send('get', `/errors/${String(index)}`).expect(status);
      expect(response.body).to.deep.equal({ code, message, status });
      expect(response.headers).not.to.have.any.keys('etag', 'content-encoding');
      expect(response.get('x-pot')).to.equal(error === teapot ? 'tea' : undefined);
      expect(service.reported).to.deep.equal(status >= 500 ? [error] : []);
    }),
  );

  it('keeps the status of an error of an operation only if the client may read its message', async () => {
    await send('post', '/v1/things').send({ name: 'Rex' }).expect(418);
    await send('get', '/v1/things/1').expect(500);
    expect(service.reported).to.deep.equal([upstream]);
  });

  it('runs express.json() for a route, whose errors have an Error body', async () => {
    const post = (text: string) => send('post', '/echo').type('json').send(text);
    await post('{"a":1}').expect(201, { a: 1 });
    expect((await post('{').expect(400)).body).to.include({ code: 'bad_request', status: 400 });
    expect((await post(`"${'x'.repeat(200)}"`).expect(413)).body).to.include({ code: 'payload_too_large' });
  });

  it('requests the body of a route from a client that waits for 100 Continue', async () => {
    const head =
      'POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n';
    const connection = await RawConnection.open(service, head);
    expect((await connection.readResponse()).status).to.equal(100);
    connection.send('{}');
    const { status, headers } = await connection.readResponse();
    expect([status, headers['connection']]).to.deep.equal([201, 'close']);
  });

  it('disconnects a client whose response has begun when the route fails', async () => {
    const [result] = await Promise.allSettled([send('get', '/partial')]);
    expect(result).to.have.nested.property('reason.code', 'ECONNRESET');
    expect(service.reported).to.have.lengthOf(1);
  });

  it('reads a document once for concurrent requests, and again after a failure', async () => {
    let reads = 0;
    const read = () => {
      reads += 1;
      return reads === 1 ? Promise.reject(new Error('The disk does not respond.')) : Buffer.from('text');
    };
    router.get('/document', prepareDocument('text/plain', read), sendDocument);
    const statuses: number[] = [];
    for (const count of [1, 2, 2]) {
      const responses = Array.from({ length: count }, () => send('get', '/document'));
      statuses.push(...(await Promise.all(responses)).map(({ status }) => status));
    }
    expect(statuses).to.deep.equal([500, 200, 200, 200, 200]);
    expect(reads).to.equal(2);
  });

  it('stops as soon as the response of a route is sent', async () => {
    const connection = await RawConnection.open(service, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    const response = await slowResponse;
    const stopped = service.close();
    response.end();
    expect((await connection.readResponse()).status).to.equal(200);
    await connection.whenEnded();
    await stopped;
  });

  it('returns 500 for an operation whose body middleware has read', async () => {
    service = await start({ middleware: [express.json()] });
    await send('post', '/v1/things').send({ name: 'Rex' }).expect(500);
    expect(String(service.reported[0])).to.match(/Put the API before middleware that reads bodies/);
  });
});

describe('listen', () => {
  it('reports each error of the server while it listens, which does not end the process', async () => {
    const reported: unknown[] = [];
    const server = createServer();
    await listen(server, { host: '127.0.0.1', port: 0, settings: '', report: (error) => reported.push(error) });
    const errors = [new Error('accept ENOBUFS'), new Error('accept EPERM')];
    for (const error of errors) server.emit('error', error);
    await once(server.close(), 'close');
    expect(reported).to.deep.equal(errors);
  });
});
