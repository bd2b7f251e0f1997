import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '@contract-server/core/lib/errors.js';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { ping, withoutPrefix } from '@contract-server/test-support/contract/ping-contracts.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import type { Contract } from '@contract-server/test-support/notes/generated/contract.js';
import {
  contract,
  findOwner,
  memoryNotes,
  type NoteStore,
  notesHandlers,
  type Owner,
  signToken,
} from '@contract-server/test-support/notes/notes.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import compression from 'compression';
import cors from 'cors';
import express, { type Express } from 'express';
import helmet from 'helmet';
import { pino } from 'pino';
import { pinoHttp } from 'pino-http';
import supertest from 'supertest';
import { createRouter, type RouterOptions } from '#src/index.js';

/** Options that most tests leave out. */
type Options = Partial<
  RouterOptions<Contract, { readonly token: (credentials: string) => Promise<Owner | undefined> }>
>;

const token = await signToken('ann');
const bearer = { Authorization: `Bearer ${token}` };
const long = 'A note that is long enough to be compressed. '.repeat(50);

describe('createRouter', () => {
  let app: Express;
  let notes: NoteStore;
  let log: LogLines;
  beforeEach(() => {
    app = express();
    notes = memoryNotes();
    log = new LogLines();
  });

  const router = (options: Options = {}) =>
    createRouter<Contract>()({
      contract,
      security: { token: (credentials) => findOwner(credentials) },
      handlers: notesHandlers(notes),
      logger: pino(log),
      ...options,
    });
  const post = (path: string, body: object = { text: 'Milk' }) => supertest(app).post(path).set(bearer).send(body);
  const unknown = (path: string) => ({
    code: 'route_not_found',
    message: `No route matches GET ${path}.`,
    status: 404,
  });

  it('serves its contract in an application that listens by itself', async () => {
    app.use(await router());
    const server = app.listen(0, '127.0.0.1');
    closeLater(() => server.close().closeAllConnections());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/api/notes`;
    const body = JSON.stringify({ text: 'Milk' });
    const created = await fetch(url, {
      method: 'POST',
      body,
      headers: { ...bearer, 'Content-Type': 'application/json' },
    });
    expect([created.status, created.headers.get('location'), await created.json()]).to.deep.equal([
      201,
      '/api/notes/1',
      { id: 1, owner: 'ann', text: 'Milk' },
    ]);
    expect(await (await fetch(url, { headers: bearer })).json()).to.deep.equal([{ id: 1, owner: 'ann', text: 'Milk' }]);
    expect(await (await fetch(url)).json()).to.deep.equal([]);
  });

  it('authenticates, validates, and returns the errors of the contract', async () => {
    app.use(await router());
    const missing = {
      code: 'missing_credentials',
      message: 'Send your credentials: Authorization: Bearer <CREDENTIALS>.',
    };
    const response = await supertest(app)
      .post('/api/notes')
      .send({ text: 'x' })
      .expect(401, { ...missing, status: 401 });
    expect(response.headers).to.include({
      'www-authenticate': 'Bearer realm="Notes"',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers).not.to.have.any.keys('x-ratelimit-limit', 'deprecation', 'link');
    await post('/api/notes', { text: '' }).expect(400, {
      code: 'invalid_request',
      message: '`text` must have at least 1 character.',
      status: 400,
    });
    await supertest(app).get('/api/notes?limit=101').expect(400);
    await supertest(app).put('/api/notes').expect(405).expect('Allow', 'GET, HEAD, OPTIONS, POST');
    await supertest(app).options('/api/notes').expect(204);
    await supertest(app).head('/api/notes').expect(200);
    await supertest(app).get('/api/notes/9').set(bearer).expect(404, { message: 'There is no such note.' });
    await supertest(app).post('/api/notes').set(bearer).type('text').send('x').expect(415);
    await supertest(app).post('/api/notes').set(bearer).type('json').send('{').expect(400);
    await post('/api/notes', { text: 'x'.repeat(70_000) }).expect(413);
  });

  it('assigns a request id, or takes that of the client', async () => {
    app.use(await router());
    await supertest(app).get('/api/notes').set('X-Request-Id', 'mine').expect('X-Request-Id', 'mine');
    await supertest(app)
      .get('/api/notes')
      .expect('X-Request-Id', /^[0-9a-f-]{36}$/);
  });

  it('returns 404 for unknown paths below the prefix of the contract, and leaves other paths to other routes', async () => {
    app.get('/before', (_request, response) => void response.send('before'));
    app.use(await router());
    app.get('/apis', (_request, response) => void response.send('after'));
    await supertest(app).get('/api/lists').expect(404, unknown('/api/lists'));
    await supertest(app).get('/before').expect(200, 'before');
    await supertest(app).get('/apis').expect(200, 'after');
    const { headers } = await supertest(app).get('/nothing').expect(404);
    expect(headers).not.to.have.any.keys('x-request-id');
  });

  it('leaves unknown paths to other routes if the contract has no prefix', async () => {
    const { url } = place({ 'contract.yaml': withoutPrefix });
    app.use(await createRouter<ContractTypes>()({ contract: url, handlers: { ping } as object }));
    app.get('/pong', (_request, response) => void response.send('pong'));
    await supertest(app).get('/ping').expect(200, {});
    await supertest(app).get('/pong').expect(200, 'pong');
  });

  it('serves the operations below the path at which it is mounted, instead of the prefix of the contract', async () => {
    const shop = express.Router();
    shop.use('/notes-api', await router({ publicBaseUrl: 'https://shop.example/shop/notes-api' }));
    app.use('/shop', shop);
    await post('/shop/notes-api/notes').expect(201).expect('Location', 'https://shop.example/shop/notes-api/notes/1');
    await supertest(app).get('/shop/notes-api/notes?limit=1').set(bearer).expect(200);
    await supertest(app).get('/shop/notes-api/lists').expect(404, unknown('/api/lists'));
    await supertest(app)
      .get('/api/notes')
      .expect(404, /<pre>Cannot GET/);
  });

  it('serves several contracts in one application', async () => {
    const { url } = place({ 'contract.yaml': withoutPrefix });
    app.use(await router(), await createRouter<ContractTypes>()({ contract: url, handlers: { ping } as object }));
    await supertest(app).get('/ping').expect(200, {});
    await supertest(app).get('/api/notes').expect(200, []);
  });

  it('returns a 500 with the solution if other middleware has read the body', async () => {
    app.use(express.json(), await router());
    const message =
      'Other middleware has read the body of the request. Put the API before middleware that reads bodies, such as ' +
      'express.json().';
    await post('/api/notes').expect(500, { code: 'internal_error', message, status: 500 });
    expect(log.lines).to.have.length(1);
    await supertest(app).get('/api/notes').expect(200);
  });

  it('leaves the bodies of other routes to the middleware after it', async () => {
    app.use(await router(), express.json());
    app.post('/echo', ({ body }, response) => void response.json(body));
    await supertest(app).post('/echo').send({ a: 1 }).expect(200, { a: 1 });
  });

  it('takes the client address from the proxies that the application trusts', async () => {
    const addresses: unknown[] = [];
    const handlers: NonNullable<Options['handlers']> = {
      ...notesHandlers(notes),
      listNotes: (_request, { clientAddress }) => {
        addresses.push(clientAddress);
        return Promise.resolve({ status: 200, body: [] });
      },
    };
    app.use(await router({ handlers }));
    const send = () => supertest(app).get('/api/notes').set('X-Forwarded-For', '203.0.113.7').expect(200);
    await send();
    app.set('trust proxy', 'loopback');
    await send();
    expect(addresses).to.deep.equal(['127.0.0.1', '203.0.113.7']);
  });

  it('works with compression, helmet, cors and pino-http, in responses and errors', async () => {
    const requests = new LogLines();
    app.use(pinoHttp({ logger: pino(requests) }), helmet(), cors(), compression(), await router());
    await post('/api/notes', { text: long }).expect(201);
    const page = await supertest(app)
      .get('/api/notes')
      .set(bearer)
      .expect(200, [{ id: 1, owner: 'ann', text: long }]);
    expect(page.headers).to.include({ 'content-encoding': 'gzip', 'access-control-allow-origin': '*' });
    const error = await supertest(app).get('/api/notes?limit=0').expect(400);
    for (const { headers } of [page, error])
      expect(headers).to.include({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' });
    const statuses = requests.lines.map(({ res }) => (res as { readonly statusCode: number }).statusCode);
    expect(statuses).to.deep.equal([201, 200, 400]);
  });

  it('sends 100 Continue once to a client that expects it', async () => {
    app.use(await router());
    const server = createServer(app).listen(0, '127.0.0.1');
    closeLater(() => server.close().closeAllConnections());
    await once(server, 'listening');
    const head = ['POST /api/notes HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, 'Expect: 100-continue'];
    const rest = ['Content-Type: application/json', 'Content-Length: 12', 'Connection: close', '', '{"text":"x"}'];
    const connection = await RawConnection.open({ server }, [...head, ...rest].join('\r\n'));
    await connection.whenEnded();
    const text = connection.rest;
    expect(text.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 100', 'HTTP/1.1 201']);
  });

  it('treats invalid credentials as none where they are optional, and rejects them with rejectInvalidCredentials', async () => {
    app.use('/lenient', await router());
    app.use('/strict', await router({ rejectInvalidCredentials: true }));
    const send = (path: string) => supertest(app).get(`${path}/notes`).set('Authorization', 'Bearer x.y.z');
    await send('/lenient').expect(200, []);
    const response = await send('/strict').expect(401);
    expect(response.body).to.include({ code: 'invalid_credentials' });
    await supertest(app).get('/strict/notes').expect(200, []);
  });

  it('reports the error of a handler with the request id, and returns a 500', async () => {
    const failing = { ...notesHandlers(notes), listNotes: () => Promise.reject(new Error('no notes today')) };
    app.use(await router({ handlers: failing }));
    const message = 'The server failed to process the request. Retry later.';
    await supertest(app)
      .get('/api/notes')
      .set('X-Request-Id', 'mine')
      .expect(500, { code: 'internal_error', message, status: 500 });
    expect(JSON.stringify(log.lines)).to.contain('no notes today').and.to.contain('"requestId":"mine"');
  });

  it('validates responses with validateResponses', async () => {
    const broken = { ...notesHandlers(notes), listNotes: () => Promise.resolve({ status: 200, body: [{ id: 'x' }] }) };
    const handlers = broken as unknown as ReturnType<typeof notesHandlers>;
    app.use(await router({ handlers, validateResponses: true }));
    await supertest(app).get('/api/notes').expect(500);
    expect(JSON.stringify(log.lines)).to.contain('/0/id must be an integer');
  });

  it('is not created without a handler for a security scheme, or with a contract that cannot be served', async () => {
    const none = createRouter<ContractTypes>()({ contract, handlers: {} });
    const error = await errorOf(none);
    expect(error).to.be.instanceOf(StartError);
    expect(String(error)).to.contain('The security scheme token has no handler');
    const missing = createRouter<ContractTypes>()({ contract: `${temporaryDirectory()}/contract.yaml`, handlers: {} });
    expect(String(await errorOf(missing))).to.contain('contract.yaml:1:1 ENOENT');
  });
});
